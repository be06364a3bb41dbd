"""Django's settings; everything that differs between installations comes from `env`."""

from datetime import timedelta
from typing import Any

from pentathlon import connections, logs
from pentathlon.core.server import limits
from pentathlon.env import Mode, read_environment
from pentathlon.roles import current_role
from pentathlon.secret import secret_key

_environment = read_environment()
_production = _environment.mode is Mode.PRODUCTION

# Installation

DATA_FOLDER = _environment.data
DATA_FOLDER.mkdir(parents=True, exist_ok=True, mode=0o700)
SANDBOX_LEVEL = _environment.sandbox
BOT_MATCHES = _environment.bot_matches
STARVED_SHARE = _environment.starved_share
SPOT_CHECKS = _environment.spot_checks
STEP_S = 0.4
"""Seconds that one step of the reconciler works; what is left waits for its next turn."""
DRAIN_S = _environment.drain_s
BOT_LOG_DAYS = _environment.bot_log_days
REPLAY_DAYS = _environment.replay_days
HAS_LADDERS = _environment.ladders
HAS_DATASETS = _environment.datasets
HAS_REFERENCE_BOTS = _environment.reference_bots
LADDER_SEASON_DAYS = _environment.ladder_season_days
LADDER_MATCHES_AN_HOUR = _environment.ladder_matches_an_hour
PRODUCTION = _production
DEBUG = _environment.debug
SECRET_KEY = secret_key(_environment)
METRICS_TOKEN = _environment.metrics_token
PROXIES = _environment.proxies
TRACES_DATABASE = _environment.traces_database
SERVE_GRACE_S = limits.GRACE_S if _production else 2
ALLOWED_HOSTS = list(_environment.hosts) or ["localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = list(_environment.origins)

DATABASES = {
    "default": connections.database(
        _environment.database_url, data=DATA_FOLDER, role=current_role()
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = _environment.redis_url
CACHES = {"default": connections.cache(REDIS_URL)}

# Applications

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "oauth2_provider",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "drf_standardized_errors",
    "django_prometheus",
    "pentathlon.core",
    "pentathlon.accounts",
    "pentathlon.webhooks",
    "pentathlon.bots",
    "pentathlon.fleet",
    "pentathlon.matches",
    "pentathlon.ratings",
    "pentathlon.tournaments",
    "pentathlon.insight",
    "pentathlon.friendlies",
    "pentathlon.ladders",
    "pentathlon.trust",
    "pentathlon.operations",
    "pentathlon.web",
    "pentathlon.local",
    "api",
    "workers",
    "tools",
]
MIDDLEWARE = [
    "pentathlon.core.middleware.requests.identify_requests",
    "pentathlon.core.middleware.answers.OpenData",
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "pentathlon.metrics.answer_metrics",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "pentathlon.core.middleware.answers.Compression",
    "pentathlon.core.middleware.answers.content_security_policy",
    "pentathlon.core.middleware.requests.refuse_zero_bytes",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "pentathlon.accounts.sessions.note_sessions",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "pentathlon.web.throttle.limit_pages",
    "pentathlon.core.middleware.requests.Methods",
    "pentathlon.web.views.errors.keep_typed",
    "pentathlon.core.middleware.requests.AnswerOutages",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
    "pentathlon.web.form_keys.AnswerFormsOnce",
]
if _environment.traces is not None:
    MIDDLEWARE.insert(0, "pentathlon.core.middleware.requests.trace_requests")
ROOT_URLCONF = "pentathlon.urls"
WSGI_APPLICATION = "pentathlon.wsgi.application"
ASGI_APPLICATION = "pentathlon.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["pentathlon.web.templatetags.form_keys"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# What follows the end of a match, in its transaction and in this order; see `matches.endings`.
AFTER_MATCHES = [
    "pentathlon.matches.notices.note_finished",
    "pentathlon.ratings.services.mark_ready",
    "pentathlon.tournaments.scheduling.blocks.mark_due",
    "pentathlon.tournaments.challenges.services.count_endings",
    "pentathlon.insight.rivalry.services.queue_results",
    "pentathlon.trust.spot_checks.sample_results",
]
# What follows a correction of results.
AFTER_CORRECTIONS = [
    "pentathlon.insight.rivalry.services.queue_results",
    "pentathlon.insight.explorer.services.recount",
]

# People

AUTH_USER_MODEL = "accounts.User"
KNOX_TOKEN_MODEL = "accounts.ApiToken"  # noqa: S105  a model's name, no secret
MIGRATION_MODULES = {"knox": None}  # our table of tokens replaces the package's
REST_KNOX = {
    "TOKEN_PREFIX": "ptl_",
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_TTL": timedelta(days=365),
}
OAUTH2_PROVIDER_APPLICATION_MODEL = "accounts.OAuthApp"
OAUTH2_PROVIDER: dict[str, Any] = {  # Any: the package's own shape
    "SCOPES_BACKEND_CLASS": "pentathlon.accounts.oauth.protocol.AppScopes",
    "OAUTH2_VALIDATOR_CLASS": "pentathlon.accounts.oauth.protocol.AppValidator",
    "ACCESS_TOKEN_GENERATOR": "pentathlon.accounts.oauth.protocol.new_access_token",
    "REFRESH_TOKEN_GENERATOR": "pentathlon.accounts.oauth.protocol.new_refresh_token",
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 90 * 86_400,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "ROTATE_REFRESH_TOKEN": True,
    "PKCE_REQUIRED": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http"],  # http on loopback only: `oauth.redirects`
    "REQUEST_APPROVAL_PROMPT": "force",
    # RFC 9700 asks for these; version 4 of the package has them by default.
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}
_VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.NumericPasswordValidator"},
    {"NAME": "pentathlon.accounts.passwords.PasswordVariety"},
]
PASSWORD_RESET_TIMEOUT = 3600
ORGANISERS_ARE_EVERYBODY = not _production
DEMANDS_VERIFIED_EMAIL = _production and _environment.mail is not None
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

# Security

SESSION_ENGINE = "pentathlon.accounts.sessions"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _production
CSRF_FAILURE_VIEW = "pentathlon.web.views.errors.csrf_failure"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = False  # the ingress redirects; probes inside a cluster speak plain HTTP
SECURE_HSTS_SECONDS = 31_536_000 if _production else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _production
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
# Uploads are read into memory only up to this size; the bots app sets the limit of an archive.
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = limits.MOST_FIELDS

# Webhooks and e-mail

WEBHOOKS_ALLOW_LOOPBACK = not _production  # for trying webhooks on this machine
# EMAIL_BACKEND and its settings.
globals().update(connections.mail(_environment.mail, mode=_environment.mode))
DEFAULT_FROM_EMAIL = _environment.mail_from
EMAIL_TIMEOUT = 10

# Language, time, static files

LANGUAGE_CODE = "en-gb"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = _environment.static or DATA_FOLDER / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {
        "BACKEND": "pentathlon.core.static_files.HashedStaticFiles",
    },
    **connections.replay_store(_environment.replays),
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# API

REST_FRAMEWORK: dict[str, Any] = {  # Any: the framework's own shape
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "api.protocol.access.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "api.protocol.negotiation.OneKind",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_PAGINATION_CLASS": "api.protocol.pagination.NewestFirst",
    "DEFAULT_PARSER_CLASSES": ["api.protocol.negotiation.ShallowJSONParser"],
    "DEFAULT_PERMISSION_CLASSES": ["api.protocol.access.ReadOrSignedIn"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "api.documentation.schema.ApiSchema",
    "DEFAULT_THROTTLE_CLASSES": ["api.protocol.access.Everybody"],
    "DEFAULT_VERSIONING_CLASS": None,
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
    "NUM_PROXIES": 0,  # pentathlon.core.server.proxies has put the true address in its place
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
DRF_STANDARDIZED_ERRORS = {
    "EXCEPTION_HANDLER_CLASS": "api.protocol.errors.ProblemHandler",
    "EXCEPTION_FORMATTER_CLASS": "api.protocol.errors.ProblemFormatter",
}
STREAMS_OF_ONE = limits.STREAMS_OF_ONE if _production else limits.LOCAL_STREAMS_OF_ONE
RATES = limits.RATES if _production else limits.LOCAL_RATES
SPECTACULAR_SETTINGS: dict[str, Any] = {  # Any: the package's own shape
    "TITLE": "Pentathlon",
    "DESCRIPTION": "Tournaments and ratings for game-playing bots.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "VersionState": "pentathlon.bots.models.VersionState",
        "MatchKindEnum": "pentathlon.matches.models.MatchKind",
        "MatchState": "pentathlon.matches.models.MatchState",
        "TournamentState": "pentathlon.tournaments.models.TournamentState",
        "OrganiserRole": "pentathlon.tournaments.handovers.models.OrganiserRole",
        "EntryState": "pentathlon.tournaments.models.EntryState",
        "LadderChoice": "pentathlon.ladders.models.Choice",
        "SeasonState": "pentathlon.ladders.models.SeasonState",
        "ChallengeState": "pentathlon.tournaments.challenges.models.ChallengeState",
        "FriendlyState": "pentathlon.friendlies.models.FriendlyState",
        "DeliveryState": "pentathlon.webhooks.models.DeliveryState",
        "WebhookEventName": "pentathlon.webhooks.event_types.EVENT_CHOICES",
    },
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# Logs: one line per event, for people here and for machines in production

LOGGING = logs.configuration(_environment)
logs.configure_structlog()
PROMETHEUS_EXPORT_MIGRATIONS = False
