# shellcheck shell=sh
# Read by the scripts here: what they have in common.
set -eu
umask 077
cd "$(dirname "$0")"

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

version() { # of this checkout; each build has a name of its own, so that there is one to go back to
    release=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' ../engines/pentathlon_engines/version.py)
    commit=$(git -C .. rev-parse --short=12 HEAD 2>/dev/null) || commit=none
    git -C .. diff --quiet HEAD 2>/dev/null || commit=$commit-$(date -u +%Y%m%d%H%M%S)
    printf '%s-%s\n' "$release" "$commit"
}

setting() { # FILE NAME: its value, empty if there is none
    [ ! -f "$1" ] || sed -n "s/^$2='\(.*\)'\$/\1/p" "$1"
}

set_setting() { # FILE NAME VALUE: in its place, or at the end
    NAME=$2 VALUE=$3 awk '
        index($0, ENVIRON["NAME"] "=") == 1 { $0 = line(); done = 1 }
        { print }
        END { if (!done) print line() }
        function line() { return ENVIRON["NAME"] "=\047" ENVIRON["VALUE"] "\047" }
    ' "$1" > "$1.new"
    mv "$1.new" "$1"
}

check_settings() { # FILE…: one grammar for compose and systemd, in which nothing has a meaning
    wrong=$(grep -nEv "^(#.*|[A-Z_]+='[^']*')?\$" "$@" /dev/null | cut -d: -f1,2)
    [ -z "$wrong" ] || fail "Each line is NAME='value'; in an address %27 is an apostrophe. Not so: $wrong"
}

random() {
    od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

site() { # the command of the site, with its settings
    docker compose run --rm -T --no-deps backup python manage.py "$@"
}

database() { # statements for PostgreSQL, each in a transaction of its own
    for statement; do
        docker compose exec -T database psql --quiet --username=pentathlon --dbname=postgres \
            --set=ON_ERROR_STOP=1 --command="$statement"
    done
}

build() { # VERSION: both images
    docker build -t "pentathlon:$1" .. && docker build -t "pentathlon-worker:$1" --target worker ..
}

switch_to() { # VERSION: web first, so that whatever is wrong is seen before all has changed
    set_setting .env PENTATHLON_PREVIOUS "$(setting .env PENTATHLON_VERSION)" &&
        set_setting .env PENTATHLON_VERSION "$1" &&
        docker compose up -d --no-deps --wait web &&
        docker compose up -d --no-deps reconciler worker
}

renew_token() { # the secret of the worker here; the file changes only if there is another one
    site worker_token rotate here > worker-token.new 2>/dev/null ||
        site worker_token create here > worker-token.new
    chown 10001 worker-token.new
    mv worker-token.new worker-token
}

renew_users() { # of Valkey: digests for it, and the broker's address for the worker
    : >> worker.env # compose reads nothing without it
    docker compose run --rm -T --no-deps backup \
        sh -c 'python manage.py redis_acl /tmp/users.acl && cat /tmp/users.acl' > users.new
    grep '^user ' users.new > users.acl.new
    grep '^PENTATHLON_WORKER_BROKER=' users.new > worker.env.new
    rm users.new
    chown 999 users.acl.new # Valkey
    mv users.acl.new users.acl
    mv worker.env.new worker.env
}
