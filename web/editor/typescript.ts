// What `import ts from 'typescript'` means in the page: the copy inside Monaco's worker, so that TypeScript is loaded once.
import { typescript } from 'monaco-editor/languages/features/typescript/lib/typescriptServices';

export default typescript;
