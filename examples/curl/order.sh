#!/bin/sh
# Check, order, read: with a shell and curl only.
#   BASE=http://localhost:3000 TOKEN=pas_test_… sh order.sh [postcode] [order number]
set -eu
BASE=${BASE:-http://localhost:3000}
: "${TOKEN:?Set TOKEN to your token.}"
POSTCODE=${1:-ZZ99 1AA}
NUMBER=${2:-$(date +%s)}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The first value of a field, from JSON on one line. In a larger script, use jq.
field() { grep -o "\"$1\":\"[^\"]*\"" "$folder/body" | head -n 1 | cut -d '"' -f 4; }

# Prints the price of each product, and what it is worth. The first sed puts each product on its own line.
terms() {
  { cat "$folder/body"; echo; } | sed 's/{"productCode"/\
&/g' | sed -n \
    -e 's/"setupPrice":null/"setupPrice":not stated/' \
    -e 's/^{"productCode":"\([^"]*\)".*"price":\([^,]*\),"currency":"\([^"]*\)".*"setupPrice":\([^,]*\),"basis":"\([^"]*\)".*/\1: \2 \3 a month, set-up \4, basis \5/p'
}

# Sends a request, and retries where that is safe and useful. The response is in $folder/body.
call() {
  attempt=1
  while :; do
    status=$(curl -sS --max-time 15 -D "$folder/head" -o "$folder/body" -w '%{http_code}' \
      -H "Authorization: Bearer $TOKEN" "$@") || status=000
    wait=$(tr -d '\r' < "$folder/head" | sed -n 's/^[Rr]etry-[Aa]fter: *//p')
    case $status in
      2*) return 0 ;;
      429 | 503) ;;
      000 | 500 | 502 | 504) wait= ;; # Nobody knows whether it arrived.
      409) [ -n "$wait" ] || break ;; # The first request with this key still runs.
      *) break ;;
    esac
    [ "$attempt" -lt 6 ] || break
    wait=${wait:-$((1 << (attempt - 1)))}
    echo "$status: again in $wait s" >&2
    sleep "$wait"
    attempt=$((attempt + 1))
  done
  explain
  exit 1
}

# Prints the problem and its remedy.
explain() {
  type=$(field type || true)
  [ -n "$type" ] || { echo "No answer from $BASE (status $status)." >&2; return; }
  echo "$(field title): $(field detail)" >&2
  curl -sS --max-time 15 -H 'Accept: application/json' -o "$folder/body" "$type" || return 0
  echo "What to do: $(field cure)" >&2
}

: > "$folder/head"
call "$BASE/product-availability/postcode/$(printf %s "$POSTCODE" | sed 's/ /%20/g')"
CHECK=$(field id)
PRODUCT=$(field productCode || true)
[ -n "$PRODUCT" ] || { echo "No products are available at $POSTCODE."; exit 0; }
echo "$(field message)"
terms

# Each run orders once for its check. Your system makes a key for each order, and stores key and
# body before it sends them, so that a retry, even after a restart, sends the same.
echo "Ordering $PRODUCT as number $NUMBER"
call -H 'Content-Type: application/json' -H "Idempotency-Key: order-$NUMBER-$CHECK" \
  -d "{\"postcode\":\"$POSTCODE\",\"productCode\":\"$PRODUCT\",\"checkId\":\"$CHECK\",\"reference\":\"$NUMBER\"}" \
  "$BASE/product-availability/order"
ORDER=$(field orderId)
echo "Order $ORDER is received."

call "$BASE/product-availability/order/$ORDER"
echo "State: $(field state)"
