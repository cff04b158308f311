package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"

	svix "github.com/svix/svix-webhooks/go"
	"github.com/svix/svix-webhooks/go/models"
)

type receipt struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

var (
	ctx       = context.Background()
	app       = setting("APP")
	receiver  = setting("RECEIVER")
	eventType = "tour." + app
)

func setting(name string) string { return os.Getenv("SDKS_" + name) }

func text(value string) *string { return &value }

func client(token string) *svix.Svix {
	server, err := url.Parse(setting("SERVER"))
	if err != nil {
		panic(err)
	}
	made, err := svix.New(token, &svix.SvixOptions{ServerUrl: server})
	if err != nil {
		panic(err)
	}
	return made
}

// The nth request that came.
func received(count int) (receipt, error) {
	answer, err := http.Get(fmt.Sprintf("%s/receipts?path=/%s&count=%d", receiver, app, count))
	if err != nil {
		return receipt{}, err
	}
	defer answer.Body.Close()
	var receipts []receipt
	if err := json.NewDecoder(answer.Body).Decode(&receipts); err != nil {
		return receipt{}, err
	}
	if len(receipts) < count {
		return receipt{}, fmt.Errorf("%d of %d requests came", len(receipts), count)
	}
	return receipts[count-1], nil
}

func verify(secret string, count int) error {
	got, err := received(count)
	if err != nil {
		return err
	}
	webhook, err := svix.NewWebhook(secret)
	if err != nil {
		return err
	}
	headers := http.Header{}
	for name, value := range got.Headers {
		headers.Set(name, value)
	}
	return webhook.Verify([]byte(got.Body), headers)
}

func same(one, other any) error {
	if reflect.DeepEqual(one, other) {
		return nil
	}
	return fmt.Errorf("%v is not %v", one, other)
}

func refused(status int, err error) error {
	var answered *svix.Error
	if errors.As(err, &answered) {
		return same(answered.Status(), status)
	}
	return fmt.Errorf("expected %d, got %v", status, err)
}

func step(name string, take func() error) {
	if err := take(); err != nil {
		fmt.Printf("no %s: %s\n", name, strings.SplitN(err.Error(), "\n", 2)[0])
		return
	}
	fmt.Printf("ok %s\n", name)
}

func main() {
	api := client(setting("KEY"))
	var ordinary map[string]any
	if err := json.Unmarshal([]byte(setting("ORDINARY")), &ordinary); err != nil {
		panic(err)
	}
	message := func() models.MessageIn { return models.MessageIn{EventType: eventType, Payload: ordinary} }
	var secret, sent string

	step("application", func() error {
		made, err := api.Application.Create(ctx, models.ApplicationIn{Name: app, Uid: &app}, nil)
		if err != nil {
			return err
		}
		return same(*made.Uid, app)
	})
	step("event-type", func() error {
		made, err := api.EventType.Create(ctx, models.EventTypeIn{Name: eventType, Description: "A tour"}, nil)
		if err != nil {
			return err
		}
		return same(made.Name, eventType)
	})
	step("endpoint", func() error {
		made, err := api.Endpoint.Create(ctx, app, models.EndpointIn{Url: receiver + "/" + app, Uid: text("hooks")}, nil)
		if err != nil {
			return err
		}
		return same(*made.Uid, "hooks")
	})
	step("secret", func() error {
		shown, err := api.Endpoint.GetSecret(ctx, app, "hooks")
		if err != nil {
			return err
		}
		secret = shown.Key
		return same(strings.HasPrefix(secret, "whsec_"), true)
	})
	step("ordinary", func() error {
		given := message()
		given.EventId = text(app + "-1")
		made, err := api.Message.Create(ctx, app, given, nil)
		if err != nil {
			return err
		}
		sent = made.Id
		got, err := received(1)
		if err != nil {
			return err
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(got.Body), &body); err != nil {
			return err
		}
		return same(body, ordinary)
	})
	step("ordinary-signature", func() error { return verify(secret, 1) })
	step("raw", func() error {
		if _, err := api.Message.Create(ctx, app, *svix.NewMessageInRaw(eventType, setting("RAW"), text(setting("RAW_TYPE"))), nil); err != nil {
			return err
		}
		got, err := received(2)
		if err != nil {
			return err
		}
		return same(got.Body, setting("RAW"))
	})
	step("raw-signature", func() error { return verify(secret, 2) })
	step("idempotency", func() error {
		options := &svix.MessageCreateOptions{IdempotencyKey: text(app + " once")}
		one, err := api.Message.Create(ctx, app, message(), options)
		if err != nil {
			return err
		}
		other, err := api.Message.Create(ctx, app, message(), options)
		if err != nil {
			return err
		}
		if _, err := received(3); err != nil {
			return err
		}
		return same(one.Id, other.Id)
	})
	step("message", func() error {
		got, err := api.Message.Get(ctx, app, app+"-1", nil)
		if err != nil {
			return err
		}
		return same(got.Id, sent)
	})
	step("attempts", func() error {
		for tries := 0; tries < 100; tries++ {
			listed, err := api.MessageAttempt.ListByMsg(ctx, app, sent, nil)
			if err != nil {
				return err
			}
			if len(listed.Data) == 1 {
				return same(int(listed.Data[0].Status), 0)
			}
		}
		return errors.New("no attempt on record")
	})
	step("resend", func() error {
		if _, err := api.MessageAttempt.Resend(ctx, app, sent, "hooks", nil); err != nil {
			return err
		}
		got, err := received(4)
		if err != nil {
			return err
		}
		return same(got.Headers["webhook-id"], sent)
	})
	step("rotate", func() error {
		if err := api.Endpoint.RotateSecret(ctx, app, "hooks", models.EndpointSecretRotateIn{}, nil); err != nil {
			return err
		}
		shown, err := api.Endpoint.GetSecret(ctx, app, "hooks")
		if err != nil {
			return err
		}
		isNew := shown.Key != secret
		secret = shown.Key
		return same(isNew, true)
	})
	step("rotated-signature", func() error {
		if _, err := api.Message.Create(ctx, app, message(), nil); err != nil {
			return err
		}
		return verify(secret, 5)
	})
	customer := func() (*svix.Svix, error) {
		access, err := api.Authentication.AppPortalAccess(ctx, app, models.AppPortalAccessIn{}, nil)
		if err != nil {
			return nil, err
		}
		return client(access.Token), nil
	}
	step("portal", func() error {
		own, err := customer()
		if err != nil {
			return err
		}
		listed, err := own.Endpoint.List(ctx, app, nil)
		if err != nil {
			return err
		}
		return same(len(listed.Data), 1)
	})
	step("portal-refused", func() error {
		own, err := customer()
		if err != nil {
			return err
		}
		_, err = own.Message.Create(ctx, app, message(), nil)
		return refused(403, err)
	})
	step("delete", func() error {
		if err := api.Endpoint.Delete(ctx, app, "hooks"); err != nil {
			return err
		}
		if err := api.Application.Delete(ctx, app); err != nil {
			return err
		}
		_, err := api.Application.Get(ctx, app)
		return refused(404, err)
	})
}
