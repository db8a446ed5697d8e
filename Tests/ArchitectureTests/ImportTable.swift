import Foundation

/// The Cairn modules that each module may import, read from the table in ARCHITECTURE.md.
struct ImportTable {
    /// The allowed imports by module. `nil` allows every import.
    private let allowed: [String: Set<String>?]
    /// The modules, from the lowest floor to the highest.
    private(set) var order: [String] = []

    /// Reads the table rows that begin with a module name in backquotes.
    init(markdown: String) {
        var allowed: [String: Set<String>?] = [:]
        for line in markdown.split(separator: "\n")
        where ["Cairn", "CoreData", "SwiftData"].contains(where: { line.hasPrefix("| `\($0)") }) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3 else { continue }
            let module = cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            order.append(module)
            switch cells[2] {
            case "nothing": allowed[module] = .some([])
            case "all of the above": allowed[module] = .some(nil)
            default:
                allowed[module] = Set(cells[2].split(separator: ", ").map(String.init))
            }
        }
        self.allowed = allowed
    }

    /// The modules that the table lists.
    var modules: Set<String> { Set(allowed.keys) }

    /// The imports that the table allows although the imported module is not on a lower floor. Modules of C
    /// libraries have no row.
    var upwardImports: [String] {
        order.enumerated().flatMap { floor, module in
            ((allowed[module] ?? nil) ?? []).sorted()
                .filter { order.contains($0) && !order[..<floor].contains($0) }
                .map { "\(module) imports \($0)" }
        }
    }

    /// Returns the Cairn modules that the source imports although the table does not allow it.
    func violations(in source: String, of module: String) -> [String] {
        guard let row = allowed[module] else { return ["\(module) is not in the table"] }
        guard let row else { return [] }
        return imports(of: source).filter { $0.hasPrefix("Cairn") && !row.contains($0) }
    }

    private func imports(of source: String) -> [String] {
        source.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
                words[..<index].allSatisfy({ $0.hasPrefix("@") || Self.modifiers.contains($0) })
            else { return nil }
            return String(words[index + 1].split(separator: ".")[0])
        }
    }

    private static let modifiers: Set<Substring> = ["public", "package", "internal", "private"]
}
