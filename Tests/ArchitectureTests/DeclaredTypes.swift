/// The types that a source file declares at its top level.
struct DeclaredTypes {
    struct Declaration: Hashable {
        let name: String
        /// Whether only this file sees the type.
        let isPrivate: Bool
    }

    /// In the order in which the file declares them.
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
