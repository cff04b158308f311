export const navigation: readonly {
  readonly title: string
  readonly pages: readonly { readonly path: string; readonly name: string; readonly sentence: string }[]
}[]
