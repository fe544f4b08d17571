// Receives webhooks and verifies their signature, with .NET only.
//   SECRET=whsec_… PORT=8080 dotnet run
using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;

static class Program
{
    static void Main()
    {
        var secret = Environment.GetEnvironmentVariable("SECRET");
        var port = Environment.GetEnvironmentVariable("PORT") ?? "8080";
        var listener = new HttpListener();
        listener.Prefixes.Add("http://localhost:" + port + "/");
        listener.Start();
        Console.WriteLine("Listening on port " + port);
        while (true)
        {
            var context = listener.GetContext();
            // The unchanged bytes: JSON that was parsed and serialised again has another signature.
            var bytes = new MemoryStream();
            context.Request.InputStream.CopyTo(bytes);
            var body = Encoding.UTF8.GetString(bytes.ToArray());
            var good = IsGenuine(secret, context.Request.Headers.Get, body);
            // Store it now under its webhook-id, which can come again. Process it afterwards.
            Console.WriteLine(good ? "Verified: " + body : "Refused");
            context.Response.StatusCode = good ? 204 : 400;
            context.Response.Close();
        }
    }

    /// <summary>Whether the service sent it within the last five minutes.</summary>
    public static bool IsGenuine(string secret, Func<string, string> header, string body)
    {
        var id = header("webhook-id") ?? "";
        var timestamp = header("webhook-timestamp") ?? "";
        var signatures = header("webhook-signature") ?? "";
        if (!long.TryParse(timestamp, out var sent)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - sent) > 300) return false;
        var key = Convert.FromBase64String(secret.Substring("whsec_".Length));
        using (var hmac = new HMACSHA256(key))
        {
            var hash = hmac.ComputeHash(Encoding.UTF8.GetBytes(id + "." + timestamp + "." + body));
            var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hash));
            // During a secret rotation there are two signatures; one match is enough.
            return signatures.Split(' ').Any(one => AreEqual(Encoding.UTF8.GetBytes(one), expected));
        }
    }

    /// <summary>Takes the same time for all texts of one length, to prevent timing attacks.</summary>
    static bool AreEqual(byte[] a, byte[] b)
    {
        return a.Length == b.Length && a.Zip(b, (x, y) => x ^ y).Aggregate(0, (all, one) => all | one) == 0;
    }
}
