@testable import CairnModel

/// The content of a keyed archive as text: classes with their superclasses, fields and plain values, without
/// the numbers of objects. The order of sets and dictionaries is not significant.
struct ArchiveStructure {
    private let list: BinaryPropertyList
    private let objects: [Int]
    private let root: Int
    /// Mutable classes and their immutable counterparts, between which a writer of values does not
    /// distinguish.
    private let immutable: [String: String]

    /// Returns the text of an archive.
    static func text(
        of bytes: [UInt8], immutable: [String: String] = [:]
    ) throws -> String {
        let archive = try KeyedArchive(bytes)
        let structure = ArchiveStructure(
            list: archive.list, objects: archive.objects, root: archive.rootReference,
            immutable: immutable)
        let outermost = archive.list.members(of: archive.list.root) ?? [:]
        let head = ["$archiver", "$version"].map { key in
            outermost[key].map { "\(archive.list.nodes[$0])" } ?? "nothing"
        }
        return head.joined(separator: " ") + " " + structure.text(structure.root)
    }

    private func text(_ node: Int) -> String {
        switch list.nodes[node] {
        case .reference(let number):
            if number == 0 { return "nil" }
            return text(objects[number])
        case .array(let members): return "[" + members.map(text).joined(separator: ", ") + "]"
        case .dictionary: return object(list.members(of: node) ?? [:])
        case let plain: return "\(plain)"
        }
    }

    private func object(_ fields: [String: Int]) -> String {
        let classes = fields["$class"].map(classNames) ?? []
        let name = classes.first ?? ""
        if name == "NSDictionary", let keys = fields["NS.keys"], let values = fields["NS.objects"] {
            let entries = zip(members(keys), members(values)).map { "\($0): \($1)" }
            return "\(classes){\(entries.sorted().joined(separator: ", "))}"
        }
        if name == "NSSet", let values = fields["NS.objects"] {
            return "\(classes){\(members(values).sorted().joined(separator: ", "))}"
        }
        let others = fields.filter { $0.key != "$class" }.sorted { $0.key < $1.key }
        return
            "\(classes)(\(others.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ")))"
    }

    private func members(_ node: Int) -> [String] {
        guard case .array(let members) = list.nodes[node] else { return [] }
        return members.map(text)
    }

    /// Returns the class and its superclasses, without a mutable class whose immutable counterpart follows.
    private func classNames(_ node: Int) -> [String] {
        guard case .reference(let number) = list.nodes[node],
            let description = list.members(of: objects[number]),
            let classes = description["$classes"], case .array(let indices) = list.nodes[classes]
        else { return [] }
        var names = indices.map { index in
            if case .string(let name) = list.nodes[index] { name } else { "no name" }
        }
        if let first = names.first, let next = immutable[first], names.dropFirst().first == next {
            names.removeFirst()
        }
        return names
    }
}
