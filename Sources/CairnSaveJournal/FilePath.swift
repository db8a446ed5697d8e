import CairnStore

/// Absolute paths, and how one leads to another.
enum FilePath {
    /// The way from the folder of a file to a path. `nil` if both are the same.
    static func relative(_ path: String, to file: String) -> String? {
        let target = path.split(separator: "/")
        let folder = file.split(separator: "/").dropLast()
        let shared = zip(target, folder).prefix { $0 == $1 }.count
        let steps =
            Array(repeating: "..", count: folder.count - shared)
            + target.dropFirst(shared).map(String.init)
        return steps.isEmpty ? nil : steps.joined(separator: "/")
    }

    /// Where that way leads from the folder of another file.
    static func resolve(_ way: String, from file: String) -> String {
        var steps = file.split(separator: "/").dropLast().map(String.init)
        for step in way.split(separator: "/") {
            if step == ".." { _ = steps.popLast() } else { steps.append(String(step)) }
        }
        return "/" + steps.joined(separator: "/")
    }
}
