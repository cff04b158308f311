// Things of a reader's own program that snippets mention.
import express from 'express'
import { Hono } from 'hono'

/** An app as snippets that show hono and express side by side need it. */
export function bothKindsOfApp() {
  const [hono, node] = [new Hono(), express()]
  return { all: hono.all.bind(hono), get: node.get.bind(node), post: node.post.bind(node), use: node.use.bind(node) }
}
