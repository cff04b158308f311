/** The placeholder for the endpoint's secret in the samples. */
export const secretPlaceholder = 'whsec_…'

/** Code that verifies an event, by language: as in the guides for receivers, without the server around it. */
export const codeSamples: readonly { readonly language: string; readonly text: string }[] = [
  {
    language: 'JavaScript',
    text: `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook('{secret}')

// The raw body, as it came; throws if it is not from us, was changed, or is old.
export function verify(body, headers) {
  return webhook.verify(body, headers)
}
`,
  },
  {
    language: 'Python',
    text: `import base64, hashlib, hmac, time

KEY = base64.b64decode("{secret}".removeprefix("whsec_"))

def verify(body, headers):
    """The id of the event; raises ValueError if it is not from us, was changed, or is old."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("missing or old timestamp")
    digest = hmac.new(KEY, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(digest)
    given = headers.get("webhook-signature", "").encode().split()
    if not any(hmac.compare_digest(wanted, one) for one in given):
        raise ValueError("no signature matches")
    return id
`,
  },
  {
    language: 'Go',
    text: `// key is what comes after whsec_ in {secret}, base64-decoded.
func verify(key, body []byte, header http.Header) (string, error) {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return "", errors.New("missing or old timestamp")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), []byte(wanted)) {
			return id, nil
		}
	}
	return "", errors.New("no signature matches")
}
`,
  },
  {
    language: 'Ruby',
    text: `KEY = Base64.strict_decode64('{secret}'.delete_prefix('whsec_'))

# The id of the event, or nil if it is not from us, was changed, or is old.
def verify(body, headers)
  id, timestamp = headers['webhook-id'], headers['webhook-timestamp']
  return if id.nil? || timestamp !~ /\\A\\d{1,12}\\z/ || (Time.now.to_i - timestamp.to_i).abs > 300

  digest = OpenSSL::HMAC.digest('SHA256', KEY, "#{id}.#{timestamp}.".b + body.b)
  wanted = "v1,#{Base64.strict_encode64(digest)}"
  given = headers['webhook-signature'].to_s.split
  id if given.any? { |one| OpenSSL.secure_compare(one, wanted) }
end
`,
  },
  {
    language: 'PHP',
    text: `function verify(string $body, array $headers): ?string
{
    $key = base64_decode(substr('{secret}', strlen('whsec_')));
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return null;
    }
    $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($wanted, $given)) {
            return $id;
        }
    }
    return null;
}
`,
  },
]
