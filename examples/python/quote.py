"""A quote from a spreadsheet (CSV): each site with its product, then the totals.

BASE=http://localhost:3000 TOKEN=pas_test_… python3 quote.py sites.csv [reference]
"""

import os
import sys

from product_availability import Problem, ProductAvailability

client = ProductAvailability(
    os.environ.get("BASE", "http://localhost:3000"), os.environ.get("TOKEN", "")
)


def main(file="sites.csv", reference=None):
    with open(file, "rb") as sheet:
        quote = client.quote_spreadsheet(sheet.read(), reference=reference, bandwidth=1)
    print(f"{quote['quoteReference']}, valid until {quote['validUntil']}")
    for line in quote["lines"]:
        product = line["product"]
        price = f"{product['price']} {product['currency']} a month" if product else line["state"]
        print(f"{line['lineId']} {line['site'] or ''} {line['postcode']}: {price}")
    for total in quote["totals"]:
        print(f"{total['lines']} lines, {total['monthly']} {total['currency']} a month, {total['basis']}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except Problem as problem:
        sys.exit(problem.explain())
