# One image for web, worker, reconciler and migrations; k8s/README.md lists their commands.
# Nothing comes from apt: bubblewrap and every library come from the package index by hash.
# (trueskill is published as source only, so pip also fetches what builds it.)

FROM python:3.11-slim-bookworm AS python
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PATH=/srv/venv/bin:$PATH

FROM python AS packages
COPY requirements/run.txt /tmp/run.txt
RUN python -m venv /srv/venv \
    && pip install --no-cache-dir --require-hashes --no-deps \
           --only-binary=:all: --no-binary=trueskill -r /tmp/run.txt \
    && pip uninstall --yes pip setuptools \
    && python -m compileall -q /srv/venv

FROM python AS application
COPY --from=packages /srv/venv /srv/venv
WORKDIR /srv/pentathlon
COPY manage.py ./
COPY engines ./engines
COPY platform ./platform
COPY api ./api
COPY workers ./workers
COPY tools ./tools
ENV PYTHONPATH=/srv/pentathlon:/srv/pentathlon/platform:/srv/pentathlon/engines \
    DJANGO_SETTINGS_MODULE=pentathlon.settings \
    PENTATHLON_NO_BOOTSTRAP=1 \
    PENTATHLON_MODE=production \
    PENTATHLON_STATIC=/srv/static \
    PENTATHLON_DATA=/var/lib/pentathlon
RUN python -m compileall -q /srv/pentathlon \
    && PENTATHLON_DATA=/tmp/pentathlon PENTATHLON_SECRET_KEY=only-for-collecting-static-files-here \
       python manage.py collectstatic --noinput

FROM application AS image
# The bots' Python is the image's own, below /usr; the application is not, so that no bot sees it.
RUN mkdir -p /var/lib/pentathlon && chown 10001:10001 /var/lib/pentathlon
USER 10001:10001
EXPOSE 8000
CMD ["python", "manage.py", "serve", "--host=0.0.0.0", "--port=8000"]
