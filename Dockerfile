# Two images of one application; k8s/README.md lists their commands.
#   docker build -t pentathlon .                            web, reconciler, migrations
#   docker build -t pentathlon-worker --target worker .     workers, with every language of bots
# Only the workers' compilers and run-time systems come from apt, from workers/toolchains.txt:
# bubblewrap and every library come from the package index by hash.
# (trueskill is published as source only, so pip also fetches what builds it.)

FROM python:3.11-slim-trixie AS python
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PATH=/srv/venv/bin:$PATH \
    PYTHONPATH=/srv/compiled:/srv/pentathlon:/srv/pentathlon/platform:/srv/pentathlon/engines \
    DJANGO_SETTINGS_MODULE=pentathlon.settings \
    PENTATHLON_NO_BOOTSTRAP=1 \
    PENTATHLON_MODE=production \
    PENTATHLON_STATIC=/srv/static \
    PENTATHLON_DATA=/var/lib/pentathlon

# With replays in a bucket and spans by OpenTelemetry. Datasets as Parquet take 160 MB more; so does
# the worker's numpy, for bots in "python-numpy":
#   docker build --build-arg REQUIREMENTS="run s3 tracing parquet" …
#   docker build --target worker --build-arg REQUIREMENTS="run s3 tracing numpy" …
FROM python AS packages
ARG REQUIREMENTS="run s3 tracing"
COPY requirements/numpy.txt requirements/parquet.txt requirements/run.txt requirements/s3.txt requirements/tracing.txt /tmp/
RUN python -m venv /srv/venv \
    && for part in $REQUIREMENTS; do \
           pip install --no-cache-dir --require-hashes --no-deps \
               --only-binary=:all: --no-binary=trueskill -r /tmp/$part.txt || exit 1; \
       done \
    && pip uninstall --yes pip setuptools \
    && python -m compileall -q /srv/venv

# Before the application, so that a change of it installs nothing again. Go has its library as source
# only: builds of bots find it compiled, instead of compiling it for each bot.
FROM python AS toolchains
COPY workers/toolchains.txt /tmp/toolchains.txt
RUN apt-get update \
    && grep -v '^#' /tmp/toolchains.txt | cut -d: -f3 \
       | DEBIAN_FRONTEND=noninteractive xargs apt-get install --yes --no-install-recommends \
    && rm -rf /var/lib/apt/lists/* \
    && if command -v go; then GOCACHE=/usr/lib/go-library go build std; fi

# The engines, compiled for this Python: referees, re-simulation and bots use them.
FROM toolchains AS compiler
COPY requirements/compile.txt /tmp/compile.txt
RUN python -m venv /tmp/venv \
    && /tmp/venv/bin/pip install --no-cache-dir --require-hashes --no-deps \
           --only-binary=:all: -r /tmp/compile.txt
COPY engines /tmp/engines
RUN /tmp/venv/bin/python /tmp/engines/build_compiled.py --to /tmp/wheel \
    && python -m zipfile -e /tmp/wheel/*.whl /srv/compiled \
    && python -m compileall -q /srv/compiled

FROM python AS application
COPY --from=packages /srv/venv /srv/venv
COPY --from=compiler /srv/compiled /srv/compiled
WORKDIR /srv/pentathlon
COPY manage.py ./
COPY engines ./engines
COPY platform ./platform
COPY api ./api
COPY workers ./workers
COPY tools ./tools
RUN python -m compileall -q /srv/pentathlon \
    && PENTATHLON_DATA=/tmp/pentathlon PENTATHLON_SECRET_KEY=only-for-collecting-static-files-here \
       python manage.py collectstatic --noinput

FROM toolchains AS worker
COPY --from=application /srv /srv
WORKDIR /srv/pentathlon
RUN mkdir -p /var/lib/pentathlon && chown 10001:10001 /var/lib/pentathlon
USER 10001:10001
# It needs an address and a worker token, as PENTATHLON_SERVER and PENTATHLON_WORKER_TOKEN_FILE; a
# database's password in its environment is refused.
CMD ["python", "-m", "celery", "-A", "workers.celery_app", "worker", "--concurrency=1", \
     "--loglevel=info", "--without-gossip", "--without-mingle", "--without-heartbeat"]

FROM application AS image
# The bots' Python is the image's own, below /usr; the application is not, so that no bot sees it.
# A volume takes its owner from the folder of the image: without one it belongs to root.
RUN mkdir -p /backups /var/lib/pentathlon && chown 10001:10001 /backups /var/lib/pentathlon
USER 10001:10001
EXPOSE 8000
CMD ["python", "manage.py", "serve", "--host=0.0.0.0", "--port=8000"]
