// What tests read out of our documents.

/** The cells of the rows of every table in a text, without the lines that only draw it. */
export const cells = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    )
