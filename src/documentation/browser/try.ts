/** From swagger-ui-bundle.js, which runs first. */
declare const SwaggerUIBundle: (options: object) => unknown;

SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: new URLSearchParams(location.search).has('staff') ? '/openapi-staff.json' : '/openapi.json',
  // The reference links to operations.
  deepLinking: true,
  // Do not send the document's address to validator.swagger.io.
  validatorUrl: null,
  persistAuthorization: false,
  docExpansion: 'none',
});

export {};
