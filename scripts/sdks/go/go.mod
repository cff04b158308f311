module tour

go 1.21

require github.com/svix/svix-webhooks v1.99.1
