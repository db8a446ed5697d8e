/// The renamings by which tables, or columns of a table, get new names.
///
/// A name may go from one to another, or be swapped: such names are moved out of the way first.
struct NameMoves {
    /// In the order in which they are done. `nil` if something else has a new name.
    let moves: [(from: SQLName, to: SQLName)]?

    /// - Parameters:
    ///   - names: the old and the new name of each; the old one is `nil` for what will be added.
    ///   - taken: the names that are there, upper-cased.
    ///   - mark: the beginning of names that nothing has for long.
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
    /// The name as SQLite compares it.
    var upperText: String { text.uppercased() }
}
