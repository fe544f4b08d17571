// Check, order, read: with .NET only.
//   BASE=http://localhost:3000 TOKEN=pas_test_… dotnet run [postcode] [order number]
using System;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;

class Problem : Exception
{
    public readonly JsonElement Body;

    public Problem(JsonElement body)
        : base(Text(body, "title") + ": " + Text(body, "detail"))
    {
        Body = body;
    }

    static string Text(JsonElement body, string name)
    {
        return body.GetProperty(name).GetString();
    }
}

static class Program
{
    static readonly string Base = Environment.GetEnvironmentVariable("BASE") ?? "http://localhost:3000";
    static readonly string Token = Environment.GetEnvironmentVariable("TOKEN") ?? "";
    static readonly HttpClient Http = new HttpClient { Timeout = TimeSpan.FromSeconds(15) };

    static async Task<int> Main(string[] args)
    {
        var postcode = args.Length > 0 ? args[0] : "ZZ99 1AA";
        var number = args.Length > 1 ? args[1] : DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
        try
        {
            await CheckAndOrder(postcode, number);
            return 0;
        }
        catch (Problem problem)
        {
            await Explain(problem);
        }
        catch (Exception error) when (IsNoAnswer(error))
        {
            Console.Error.WriteLine("No answer from " + Base + ": " + error.Message);
        }
        return 1;
    }

    static async Task CheckAndOrder(string postcode, string number)
    {
        var check = await Call("/product-availability/postcode/" + Uri.EscapeDataString(postcode));
        var found = check.GetProperty("postcode").GetString();
        var products = check.GetProperty("availableProducts");
        if (products.GetArrayLength() == 0)
        {
            Console.WriteLine("No products are available at " + found + ".");
            return;
        }
        Console.WriteLine(check.GetProperty("message").GetString());
        foreach (var offer in products.EnumerateArray()) Console.WriteLine(TermsOf(offer));

        // Each run orders once for its check. Your system makes a key for each order, and stores key and
        // body before it sends them, so that a retry, even after a restart, sends the same.
        var product = products[0].GetProperty("productCode").GetString();
        Console.WriteLine("Ordering " + product + " as number " + number);
        var wish = JsonSerializer.Serialize(new
        {
            postcode = found,
            productCode = product,
            checkId = check.GetProperty("id").GetString(),
            reference = number,
        });
        var received = await Call("/product-availability/order", wish, "order-" + number + "-" + check.GetProperty("id").GetString());
        var orderId = received.GetProperty("orderId").GetString();
        Console.WriteLine("Order " + orderId + " is received.");

        var order = await Call("/product-availability/order/" + orderId);
        Console.WriteLine("State: " + order.GetProperty("state").GetString());
    }

    /// <summary>The price, and what it is worth.</summary>
    static string TermsOf(JsonElement product)
    {
        var setUp = product.GetProperty("setupPrice");
        return product.GetProperty("productCode").GetString() + ": "
            + product.GetProperty("price").GetRawText() + " " + product.GetProperty("currency").GetString()
            + " a month, set-up " + (setUp.ValueKind == JsonValueKind.Null ? "not stated" : setUp.GetRawText())
            + ", basis " + product.GetProperty("basis").GetString();
    }

    /// <summary>Sends a request, and retries where that is safe and useful.</summary>
    static async Task<JsonElement> Call(string path, string body = null, string key = null)
    {
        for (var attempt = 1; ; attempt++)
        {
            var seconds = Math.Pow(2, attempt - 1);
            string what;
            try
            {
                // A request can be sent only once, so each attempt creates one.
                using (var request = Request(path, body, key))
                using (var response = await Http.SendAsync(request))
                {
                    var answer = Read(await response.Content.ReadAsStringAsync());
                    if (response.IsSuccessStatusCode) return answer;
                    var status = (int)response.StatusCode;
                    var wait = response.Headers.RetryAfter?.Delta;
                    // 409 has Retry-After while the first request with the same key is running.
                    var again = status == 429 || status >= 500 || (status == 409 && wait != null);
                    if (!again || attempt == 6) throw new Problem(answer);
                    if (wait != null) seconds = wait.Value.TotalSeconds;
                    what = status.ToString();
                }
            }
            catch (Exception error) when (IsNoAnswer(error) && attempt < 6)
            {
                // No response, or a partial one: the request may have arrived.
                what = "no answer";
            }
            Console.Error.WriteLine(what + ": again in " + seconds + " s");
            await Task.Delay(TimeSpan.FromSeconds(seconds));
        }
    }

    static HttpRequestMessage Request(string path, string body, string key)
    {
        var request = new HttpRequestMessage(body == null ? HttpMethod.Get : HttpMethod.Post, Base + path);
        request.Headers.Add("Authorization", "Bearer " + Token);
        if (key != null) request.Headers.Add("Idempotency-Key", key);
        if (body != null) request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        return request;
    }

    static JsonElement Read(string text)
    {
        using (var document = JsonDocument.Parse(text)) return document.RootElement.Clone();
    }

    static bool IsNoAnswer(Exception error)
    {
        return error is HttpRequestException || error is TaskCanceledException || error is JsonException;
    }

    /// <summary>Prints the problem and its remedy.</summary>
    static async Task Explain(Problem problem)
    {
        Console.Error.WriteLine(problem.Message);
        JsonElement errors;
        if (problem.Body.TryGetProperty("errors", out errors))
        {
            foreach (var fault in errors.EnumerateArray())
            {
                Console.Error.WriteLine("  " + fault.GetProperty("pointer").GetString() + ": " + fault.GetProperty("detail").GetString());
            }
        }
        var request = new HttpRequestMessage(HttpMethod.Get, problem.Body.GetProperty("type").GetString());
        request.Headers.Add("Accept", "application/json");
        var page = Read(await (await Http.SendAsync(request)).Content.ReadAsStringAsync());
        Console.Error.WriteLine("What to do: " + page.GetProperty("cure").GetString());
    }
}
