#!/bin/sh
# backup.sh HISTORY FOLDER: a copy of a history that nobody owns now, checked, in a folder of its own below FOLDER.
#
# Stop the service first; it takes up to five seconds, and Kafka keeps what comes meanwhile. Sealed days never
# change, so they may be copied at any time; with them alone a history can be made again (`pitproof rebuild`).
# Prints the folder it made. Ends with 1 if the history is in use or does not verify, and leaves nothing then.
set -eu

pitproof=${PITPROOF:-pitproof}
if [ $# -ne 2 ]; then
    echo "backup.sh HISTORY FOLDER" >&2
    exit 2
fi
if ! command -v "$pitproof" >/dev/null; then
    echo "backup.sh: $pitproof: no such command; name it: PITPROOF=/opt/pitproof/bin/pitproof backup.sh ..." >&2
    exit 2
fi
history=$1
folder=$2/$(date -u +%Y-%m-%dT%H%M%SZ)

if [ ! -f "$history" ]; then
    echo "backup.sh: $history: no such history" >&2
    exit 2
fi
if [ -e "$history.api" ]; then
    owner=$(sed -n 's/.*"process_id": *\([0-9]*\).*/\1/p' "$history.api")
    if [ -z "$owner" ] || kill -0 "$owner" 2>/dev/null; then
        echo "backup.sh: $history is served by process ${owner:-?}: stop it first, or remove $history.api if it is gone" >&2
        exit 1
    fi
fi

umask 077
mkdir -p "$2"
mkdir "$folder.part"
trap 'rm -rf "$folder.part"' EXIT
copy=$folder.part/$(basename "$history")
for part in "" .wal .head; do
    [ ! -e "$history$part" ] || cp -p --reflink=auto "$history$part" "$copy$part"
done
[ ! -d "$history.sealed" ] || cp -Rp --reflink=auto "$history.sealed" "$copy.sealed"

# What does not verify is no backup. This also takes the log into the copy.
"$pitproof" verify --db "$copy" >&2
(cd "$folder.part" && find . -type f ! -name SHA256SUMS -exec sha256sum {} + >SHA256SUMS)
sync "$folder.part"/* 2>/dev/null || sync
mv "$folder.part" "$folder"
trap - EXIT
echo "$folder"
