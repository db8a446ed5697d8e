/// The steps that rename tables, or the columns of a table.
///
/// Names may be swapped, or one may take over another's old name. Such names are first changed to
/// temporary names.
struct NameMoves {
    /// The renamings, in the order in which they must happen. `nil` if a new name is already used
    /// by something else.
    let moves: [(from: SQLName, to: SQLName)]?

    /// - Parameters:
    ///   - names: The old and the new name of each table or column. The old name is `nil` for one
    ///     that will be added.
    ///   - taken: The names in use, in upper case.
    ///   - mark: The prefix of temporary names.
    init(_ names: [(from: SQLName?, to: SQLName)], taken: Set<String>, mark: String) {
        let old = Set(names.compactMap { $0.from?.upperText })
        let wanted = Set(names.map(\.to.upperText))
        guard taken.subtracting(old).isDisjoint(with: wanted) else {
            moves = nil
            return
        }
        var aside: [(from: SQLName, to: SQLName)] = []
        var final: [(from: SQLName, to: SQLName)] = []
        for (from, to) in names {
            guard let from, from.upperText != to.upperText else { continue }
            if wanted.contains(from.upperText) {
                let temporary = SQLName("\(mark)\(aside.count)")
                aside.append((from, temporary))
                final.append((temporary, to))
            } else {
                final.append((from, to))
            }
        }
        moves = aside + final
    }
}

extension SQLName {
    /// The name in upper case, because SQLite ignores case in names.
    var upperText: String { text.uppercased() }
}
