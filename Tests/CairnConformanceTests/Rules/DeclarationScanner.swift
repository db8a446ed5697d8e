/// Finds the names of the declarations in a source that are visible to other modules.
struct DeclarationScanner {
    private struct Scope {
        let indentation: Int
        let name: String
        let keyword: Substring
        let isPublic: Bool
    }

    private var scopes: [Scope] = []
    private(set) var protocols: Set<String> = []

    /// Reads a line together with the lines after it.
    ///
    /// - Returns: The declared name, qualified with the names of the enclosing types, or `nil` if the line
    ///   declares nothing that other modules can see.
    mutating func read(_ lines: ArraySlice<String>) -> String? {
        // A brace on its own line belongs to the declaration before it.
        guard let line = lines.first, let start = line.firstIndex(where: { $0 != " " }),
            line != "{"
        else { return nil }
        let indentation = line.distance(from: line.startIndex, to: start)
        while let last = scopes.last, last.indentation >= indentation { scopes.removeLast() }
        let text = line[start...]
        if let match = text.prefixMatch(
            of:
                /((?:public|package|private|fileprivate|final|indirect) )*(protocol|struct|enum|class|extension) (\w+)/
        ) {
            let isPublic = text.hasPrefix("public ")
            scopes.append(
                Scope(
                    indentation: indentation, name: String(match.3), keyword: match.2,
                    isPublic: isPublic || match.2 == "extension"))
            if isPublic, match.2 == "protocol" { protocols.insert(String(match.3)) }
            return isPublic ? path : nil
        }
        guard let scope = scopes.last else {
            let alias = text.prefixMatch(of: /public typealias (\w+)/)
            return alias.map { String($0.1) }
        }
        guard scope.isPublic,
            let match = text.prefixMatch(
                of:
                    /((?:public|package|private|fileprivate|static|mutating|private\(set\)) )*(func|var|let|case|init)\b\??\s*([^\s(<:,=]*)/
            )
        else { return nil }
        let isRequirement =
            scope.keyword == "protocol" || scope.keyword == "enum" && match.2 == "case"
        guard isRequirement || text.hasPrefix("public ") else { return nil }
        if text.hasPrefix("private ") || text.hasPrefix("package ") { return nil }
        switch match.2 {
        case "func": return "\(path).\(Self.signature(match.3, lines))"
        case "init": return "\(path).\(Self.signature("init", lines))"
        default: return "\(path).\(match.3)"
        }
    }

    private var path: String { scopes.map(\.name).joined(separator: ".") }

    /// Returns the name of a function with its argument labels, such as `relatedIDs(_:of:)`.
    private static func signature(_ name: Substring, _ lines: ArraySlice<String>) -> String {
        if name.isEmpty { return "<" }
        let text = lines.prefix(8).joined(separator: " ")
        guard let found = text.range(of: "\(name)") else { return "\(name)" }
        guard let open = text[found.upperBound...].firstIndex(of: "(") else { return "\(name)" }
        var depth = 0
        var labels = ""
        var isAtLabel = false
        var word = ""
        for character in text[open...] {
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            if depth == 0 { break }
            guard depth == 1 else { continue }
            if character == "(" || character == "," {
                (isAtLabel, word) = (true, "")
            } else if isAtLabel, character == ":" || character == " " && !word.isEmpty {
                labels += word + ":"
                isAtLabel = false
            } else if isAtLabel, character != " " {
                word.append(character)
            }
        }
        return "\(name)(\(labels))"
    }
}
