/** esbuild imports the file as text. */
declare const text: string;
export default text;
