#!/bin/sh
# restore.sh BACKUP HISTORY: put a backup to where a history is to be; never over one that is there.
#
# Ends with 2 where it cannot; else as `pitproof verify` does of what it put there: 0, or 1 if that does not verify.
#
# The service that is started on it afterwards sees that its history is older than what it had read, says so
# (`put_back`), reads the rest again from Kafka, and publishes no finding twice that was published before.
set -eu

pitproof=${PITPROOF:-pitproof}
if [ $# -ne 2 ]; then
    echo "restore.sh BACKUP HISTORY" >&2
    exit 2
fi
if ! command -v "$pitproof" >/dev/null; then
    echo "restore.sh: $pitproof: no such command; name it: PITPROOF=/opt/pitproof/bin/pitproof restore.sh ..." >&2
    exit 2
fi
backup=$1
history=$2

if [ ! -f "$backup/SHA256SUMS" ]; then
    echo "restore.sh: $backup: no backup: SHA256SUMS is not in it; name the folder that backup.sh printed" >&2
    exit 2
fi
for part in "" .wal .head .api .sealed; do
    if [ -e "$history$part" ]; then
        echo "restore.sh: $history$part is there: move it away first, and keep it" >&2
        exit 2
    fi
done
if ! (cd "$backup" && sha256sum --quiet --check SHA256SUMS) >&2; then
    echo "restore.sh: $backup: is not as backup.sh left it: take another backup" >&2
    exit 2
fi

set -- "$backup"/*.head
kept=${1%.head}
if [ ! -f "$kept" ]; then
    echo "restore.sh: $backup holds no history" >&2
    exit 2
fi
mkdir -p "$(dirname "$history")" || exit 2
for part in .sealed .head ""; do # the history last: with it, all of it is there
    [ ! -e "$kept$part" ] || cp -Rp --reflink=auto "$kept$part" "$history$part.part" || exit 2
    [ ! -e "$history$part.part" ] || mv "$history$part.part" "$history$part" || exit 2
done
exec "$pitproof" verify --db "$history"
