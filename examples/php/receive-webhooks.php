<?php
// Receives webhooks and verifies their signature, with PHP only.
//   SECRET=whsec_… php -S localhost:8080 receive-webhooks.php
declare(strict_types=1);

/** Whether the service sent it within the last five minutes. $body is the unchanged text. */
function isGenuine(string $secret, array $server, string $body): bool
{
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $digest = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($digest);
    // During a secret rotation there are two signatures; one match is enough.
    foreach (explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input');
$good = isGenuine((string) getenv('SECRET'), $_SERVER, $body);
// Store it now under its webhook-id, which can come again. Process it afterwards.
file_put_contents('php://stdout', $good ? "Verified: $body\n" : "Refused\n");
http_response_code($good ? 204 : 400);
