import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.svix.Svix;
import com.svix.SvixHttpClient;
import com.svix.SvixOptions;
import com.svix.Webhook;
import com.svix.api.Message;
import com.svix.api.MessageCreateOptions;
import com.svix.exceptions.ApiException;
import com.svix.models.AppPortalAccessIn;
import com.svix.models.ApplicationIn;
import com.svix.models.EmptyResponse;
import com.svix.models.EndpointIn;
import com.svix.models.EndpointSecretRotateIn;
import com.svix.models.EventTypeIn;
import com.svix.models.MessageIn;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The steps of every client, in Java. */
public final class Tour {
  private static final ObjectMapper json = new ObjectMapper();
  private static final HttpClient http = HttpClient.newHttpClient();
  private static final String app = setting("APP");
  private static final String receiver = setting("RECEIVER");
  private static final String eventType = "tour." + app;
  private static final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static String secret;
  private static String sent;

  private interface Step {
    void take() throws Exception;
  }

  public static void main(String[] args) {
    Svix svix = client(setting("KEY"));
    step("application", () -> same(svix.getApplication().create(new ApplicationIn().name(app).uid(app)).getUid(), app));
    step("event-type", () -> same(svix.getEventType().create(new EventTypeIn().name(eventType).description("A tour")).getName(), eventType));
    step("endpoint", () -> same(svix.getEndpoint().create(app, new EndpointIn().url(URI.create(receiver + "/" + app)).uid("hooks")).getUid(), "hooks"));
    step("secret", () -> {
      secret = svix.getEndpoint().getSecret(app, "hooks").getKey();
      same(secret.startsWith("whsec_"), true);
    });
    step("ordinary", () -> {
      sent = svix.getMessage().create(app, message().eventId(app + "-1")).getId();
      same(json.readTree(received(1).get("body").asText()), json.readTree(setting("ORDINARY")));
    });
    step("ordinary-signature", () -> verify(1));
    step("raw", () -> {
      svix.getMessage().create(app, Message.messageInRaw(setting("RAW"), setting("RAW_TYPE")).eventType(eventType));
      same(received(2).get("body").asText(), setting("RAW"));
    });
    step("raw-signature", () -> verify(2));
    step("idempotency", () -> {
      MessageCreateOptions options = new MessageCreateOptions();
      options.setIdempotencyKey(app + " once");
      same(svix.getMessage().create(app, message(), options).getId(), svix.getMessage().create(app, message(), options).getId());
      received(3);
    });
    step("message", () -> same(svix.getMessage().get(app, app + "-1").getId(), sent));
    step("attempts", () -> attempts(svix));
    step("resend", () -> {
      resend(svix.getHttpClient());
      same(received(4).get("headers").get("webhook-id").asText(), sent);
    });
    step("rotate", () -> {
      svix.getEndpoint().rotateSecret(app, "hooks", new EndpointSecretRotateIn());
      String next = svix.getEndpoint().getSecret(app, "hooks").getKey();
      same(next.equals(secret), false);
      secret = next;
    });
    step("rotated-signature", () -> {
      svix.getMessage().create(app, message());
      verify(5);
    });
    step("portal", () -> same(customer(svix).getEndpoint().list(app).getData().size(), 1));
    step("portal-refused", () -> refused(403, () -> customer(svix).getMessage().create(app, message())));
    step("delete", () -> {
      svix.getEndpoint().delete(app, "hooks");
      svix.getApplication().delete(app);
      refused(404, () -> svix.getApplication().get(app));
    });
  }

  private static String setting(String name) {
    return System.getenv("SDKS_" + name);
  }

  private static Svix client(String token) {
    SvixOptions options = new SvixOptions();
    options.setServerUrl(setting("SERVER"));
    return new Svix(token, options);
  }

  private static Svix customer(Svix svix) throws Exception {
    return client(svix.getAuthentication().appPortalAccess(app, new AppPortalAccessIn()).getToken());
  }

  private static MessageIn message() {
    return new MessageIn().eventType(eventType).payload(setting("ORDINARY"));
  }

  /** `getMessageAttempt().resend` never gets as far as the server: it gives its HTTP library no body, which that refuses for a POST. */
  private static void resend(SvixHttpClient client) throws Exception {
    String path = String.format("/api/v1/app/%s/msg/%s/endpoint/%s/resend", app, sent, "hooks");
    client.executeRequest("POST", client.newUrlBuilder().encodedPath(path).build(), null, Map.of(), EmptyResponse.class);
  }

  private static void attempts(Svix svix) throws Exception {
    for (int tries = 0; tries < 100; tries += 1) {
      var listed = svix.getMessageAttempt().listByMsg(app, sent).getData();
      if (listed.size() == 1) {
        same(listed.get(0).getResponseStatusCode().intValue(), 200);
        return;
      }
    }
    throw new IllegalStateException("no attempt on record");
  }

  /** The nth request that came. */
  private static JsonNode received(int count) throws Exception {
    URI uri = URI.create(receiver + "/receipts?path=/" + app + "&count=" + count);
    JsonNode receipts = json.readTree(http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body());
    if (receipts.size() < count) throw new IllegalStateException(receipts.size() + " of " + count + " requests came");
    return receipts.get(count - 1);
  }

  private static void verify(int count) throws Exception {
    JsonNode receipt = received(count);
    Map<String, List<String>> headers = new HashMap<>();
    receipt.get("headers").fields().forEachRemaining(entry -> headers.put(entry.getKey(), new ArrayList<>(List.of(entry.getValue().asText()))));
    new Webhook(secret).verify(receipt.get("body").asText(), HttpHeaders.of(headers, (name, value) -> true).map());
  }

  private static void refused(int status, Step call) throws Exception {
    try {
      call.take();
    } catch (ApiException refusal) {
      same(refusal.getCode(), status);
      return;
    }
    throw new IllegalStateException("expected " + status + ", got an answer");
  }

  private static void same(Object one, Object other) {
    if (!Objects.equals(one, other)) throw new IllegalStateException(one + " is not " + other);
  }

  private static void step(String name, Step step) {
    try {
      step.take();
      out.println("ok " + name);
    } catch (Exception thrown) {
      out.println("no " + name + ": " + String.valueOf(thrown).lines().findFirst().orElse(""));
    }
  }
}
