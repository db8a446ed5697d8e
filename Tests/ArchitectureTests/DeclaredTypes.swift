/// The types that a source file declares at its top level.
struct DeclaredTypes {
    struct Declaration: Hashable {
        let name: String
        /// Whether the type is visible only in this file.
        let isPrivate: Bool
        /// The lines from the declaration to the brace that closes it.
        let text: String
    }

    /// The declarations, in source order.
    let declarations: [Declaration]

    init(in source: String) {
        let declaration =
            /(?:@[^\n]*?\s+)?(?<modifiers>(?:(?:public|package|internal|private|fileprivate|open|final|indirect|nonisolated)\s+)*)(?:struct|class|enum|actor|protocol)\s+(?<name>\w+).*/
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        declarations = lines.indices.compactMap { index in
            let line = lines[index]
            guard let first = line.first, first.isLetter || first == "@",
                !line.contains(" import "),
                let match = try? declaration.wholeMatch(in: line)
            else { return nil }
            let end = line.hasSuffix("}") ? index : lines[index...].firstIndex(of: "}")
            return Declaration(
                name: String(match.name), isPrivate: match.modifiers.contains("private"),
                text: lines[index...(end ?? lines.endIndex - 1)].joined(separator: "\n"))
        }
    }
}
