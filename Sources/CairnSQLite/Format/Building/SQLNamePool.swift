/// Hands out unique names. A name that is already taken gets the suffix 1, 2, and so on.
struct SQLNamePool {
    private var taken: Set<String>

    init(reserved: [String] = []) { taken = Set(reserved.map { $0.uppercased() }) }

    /// Returns the name if it is free. Otherwise returns its first numbered form that is free.
    ///
    /// NUL characters are replaced, because they would end the SQL text.
    mutating func take(_ wanted: String) -> SQLName {
        let hasNUL = wanted.utf8.contains(0)
        let wanted = hasNUL ? wanted.replacing("\0", with: "\u{FFFD}") : wanted
        var name = wanted
        var number = 1
        // SQLite compares names without regard to case.
        while !taken.insert(name.uppercased()).inserted {
            name = "\(wanted)\(number)"
            number += 1
        }
        return SQLName(name)
    }
}
