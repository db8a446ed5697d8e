/// Hands out names of one kind, each once: a name that is taken gets 1, 2, … after it.
struct SQLNamePool {
    private var taken: Set<String>

    init(reserved: [String] = []) { taken = Set(reserved.map { $0.uppercased() }) }

    /// Returns the name, or the first numbered form of it that is free.
    ///
    /// NUL, which would end SQL text, is replaced.
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
