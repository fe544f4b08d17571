/** The path of Swagger UI's page and files. */
export const REFERENCE = 'docs/reference';

/** A part of a page: Swagger UI fills `#swagger-ui`. */
export const referenceSection = `<section class="reference" aria-labelledby="reference">
<h2 id="reference">Reference</h2>
<p>Every operation and every field; you can try them here with your token. The same as a file, for a
generator: <a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a>; on a
<a href="/${REFERENCE}">separate page</a>.</p>
<p>Integrations of the operator's own staff have a separate document:
<a href="/openapi-staff.json">openapi-staff.json</a>,
<a href="/openapi-staff.yaml">openapi-staff.yaml</a>.</p>
<noscript><p>The reference is drawn by a script. Without scripts, read
<a href="/openapi.yaml">openapi.yaml</a>.</p></noscript>
<div id="swagger-ui"></div>
<link rel="stylesheet" href="/${REFERENCE}/swagger-ui.css">
<script src="/${REFERENCE}/swagger-ui-bundle.js"></script>
<script src="/${REFERENCE}/swagger-ui-standalone-preset.js"></script>
<script src="/${REFERENCE}/swagger-ui-init.js"></script>
</section>
`;
