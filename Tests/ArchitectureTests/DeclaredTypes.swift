/// The types that a source file declares at its top level.
struct DeclaredTypes {
    struct Declaration: Hashable {
        let name: String
        /// Whether the type is visible only in this file.
        let isPrivate: Bool
    }

    /// The declarations, in source order.
    let declarations: [Declaration]

    init(in source: String) {
        let declaration =
            /(?:@[^\n]*?\s+)?(?<modifiers>(?:(?:public|package|internal|private|fileprivate|open|final|indirect|nonisolated)\s+)*)(?:struct|class|enum|actor|protocol)\s+(?<name>\w+).*/
        declarations = source.split(separator: "\n").compactMap { line in
            guard let first = line.first, first.isLetter || first == "@",
                let match = try? declaration.wholeMatch(in: line)
            else { return nil }
            return Declaration(
                name: String(match.name), isPrivate: match.modifiers.contains("private"))
        }
    }
}
