<?php
// Check, order, read: with PHP only.
//   BASE=http://localhost:3000 TOKEN=pas_test_… php order.php [postcode] [order number]
declare(strict_types=1);

define('BASE', getenv('BASE') ?: 'http://localhost:3000');
define('TOKEN', getenv('TOKEN') ?: '');

final class Problem extends Exception
{
    public function __construct(public readonly array $body)
    {
        parent::__construct("{$body['title']}: {$body['detail']}");
    }
}

/** Status, Retry-After and body of the response, for any status; null without a response. */
function send(string $url, array $headers, ?string $body = null): ?array
{
    $context = stream_context_create(['http' => [
        'method' => $body === null ? 'GET' : 'POST',
        'header' => $headers,
        'content' => $body ?? '',
        'ignore_errors' => true,
        'follow_location' => 0,
        'timeout' => 15,
    ]]);
    $text = @file_get_contents($url, false, $context);
    $answer = $text === false ? null : json_decode($text, true);
    if (!is_array($answer)) {
        return null;
    }
    preg_match('/ (\d{3})/', $http_response_header[0], $status);
    preg_match('/^Retry-After: *(\d+)$/im', implode("\n", $http_response_header), $wait);
    return [(int) $status[1], isset($wait[1]) ? (int) $wait[1] : null, $answer];
}

/** Sends a request, and retries where that is safe and useful. */
function call(string $path, ?array $body = null, ?string $key = null): array
{
    $headers = ['Authorization: Bearer ' . TOKEN];
    if ($body !== null) {
        $headers[] = 'Content-Type: application/json';
    }
    if ($key !== null) {
        $headers[] = "Idempotency-Key: $key";
    }
    for ($attempt = 1; ; $attempt++) {
        // No response, or a partial one: the request may have arrived.
        [$status, $wait, $answer] =
            send(BASE . $path, $headers, $body === null ? null : json_encode($body)) ?? [0, null, null];
        if ($status >= 200 && $status < 300) {
            return $answer;
        }
        // 409 has Retry-After while the first request with the same key is running.
        $again = $status === 0 || $status === 429 || $status >= 500 || ($status === 409 && $wait !== null);
        if (!$again || $attempt === 6) {
            throw $answer === null ? new RuntimeException('No answer from ' . BASE) : new Problem($answer);
        }
        $seconds = $wait ?? 2 ** ($attempt - 1);
        fwrite(STDERR, ($status ?: 'no answer') . ": again in $seconds s\n");
        sleep($seconds);
    }
}

/** The price, and what it is worth. */
function termsOf(array $product): string
{
    $setUp = $product['setupPrice'] ?? 'not stated';
    return "{$product['productCode']}: {$product['price']} {$product['currency']} a month, "
        . "set-up $setUp, basis {$product['basis']}";
}

/** Prints the problem and its remedy. */
function explain(Problem $problem): void
{
    fwrite(STDERR, $problem->getMessage() . "\n");
    foreach ($problem->body['errors'] ?? [] as $fault) {
        fwrite(STDERR, "  {$fault['pointer']}: {$fault['detail']}\n");
    }
    $page = send($problem->body['type'], ['Accept: application/json']);
    fwrite(STDERR, 'What to do: ' . ($page[2]['cure'] ?? $problem->body['type']) . "\n");
}

function main(string $postcode, string $number): void
{
    $check = call('/product-availability/postcode/' . rawurlencode($postcode));
    $product = $check['availableProducts'][0] ?? null;
    if ($product === null) {
        echo "No products are available at {$check['postcode']}.\n";
        return;
    }
    echo $check['message'], "\n";
    foreach ($check['availableProducts'] as $offer) {
        echo termsOf($offer), "\n";
    }

    // Each run orders once for its check. Your system makes a key for each order, and stores key and
    // body before it sends them, so that a retry, even after a restart, sends the same.
    echo "Ordering {$product['productCode']} as number $number\n";
    $received = call('/product-availability/order', [
        'postcode' => $check['postcode'],
        'productCode' => $product['productCode'],
        'checkId' => $check['id'],
        'reference' => $number,
    ], "order-$number-{$check['id']}");
    echo "Order {$received['orderId']} is received.\n";

    $order = call("/product-availability/order/{$received['orderId']}");
    echo "State: {$order['state']}\n";
}

try {
    main($argv[1] ?? 'ZZ99 1AA', $argv[2] ?? (string) time());
} catch (Problem $problem) {
    explain($problem);
    exit(1);
} catch (RuntimeException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
