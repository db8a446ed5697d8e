/// Functions on absolute paths and relative paths between them.
enum FilePath {
    /// Returns the relative path from the folder of a file to a path, or `nil` if both are the
    /// same.
    static func relative(_ path: String, to file: String) -> String? {
        let target = path.split(separator: "/")
        let folder = file.split(separator: "/").dropLast()
        let shared = zip(target, folder).prefix { $0 == $1 }.count
        let steps =
            Array(repeating: "..", count: folder.count - shared)
            + target.dropFirst(shared).map(String.init)
        return steps.isEmpty ? nil : steps.joined(separator: "/")
    }

    /// Resolves a relative path against the folder of a file.
    static func resolve(_ way: String, from file: String) -> String {
        var steps = file.split(separator: "/").dropLast().map(String.init)
        for step in way.split(separator: "/") {
            if step == ".." { _ = steps.popLast() } else { steps.append(String(step)) }
        }
        return "/" + steps.joined(separator: "/")
    }
}
