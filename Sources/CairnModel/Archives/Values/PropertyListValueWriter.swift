import Foundation

/// Writes a value as a binary property list.
struct PropertyListValueWriter {
    private typealias Node = BinaryPropertyList.Node

    private var nodes: [Node] = []
    /// The node index of each value that is not a container. Equal values share one node.
    private var indices: [Node: Int] = [:]

    static func propertyList(of value: ArchivableValue) throws(ArchiveError) -> [UInt8] {
        var writer = PropertyListValueWriter()
        let root = try writer.node(of: value, depth: 1)
        var bytes = BinaryPropertyListWriter(BinaryPropertyList(nodes: writer.nodes, root: root))
        return bytes.write()
    }

    private mutating func node(of value: ArchivableValue, depth: Int) throws(ArchiveError) -> Int {
        guard depth <= ArchivableValue.depthLimit else {
            throw .tooDeep(limit: ArchivableValue.depthLimit)
        }
        switch value {
        case .boolean(let value): return intern(.boolean(value))
        case .integer(let value): return intern(.integer(value))
        case .unsigned(let value): return intern(.unsigned(value))
        case .real(let value): return intern(.real(value))
        case .date(let value): return intern(.date(value.timeIntervalSinceReferenceDate))
        case .string(let value): return intern(.string(value))
        case .data(let value): return intern(.data(Array(value)))
        case .array(let members):
            return append(.array(try nodes(of: members, depth: depth)))
        case .dictionary(let entries):
            for key in entries.keys {
                guard case .string = key else {
                    throw .unsupportedValue(
                        "a key in a property list must be a string, not \(key.kind)")
                }
            }
            let keys = try KeyedValueWriter.sorted(entries.keys)
            let values = keys.map { entries[$0] ?? .null }
            let keyNodes = try nodes(of: keys, depth: depth)
            return append(
                .dictionary(keys: keyNodes, values: try nodes(of: values, depth: depth)))
        case .null, .decimal, .uuid, .url, .set, .orderedSet:
            throw .unsupportedValue("a property list cannot contain \(value.kind)")
        }
    }

    private mutating func nodes(
        of members: [ArchivableValue], depth: Int
    ) throws(ArchiveError) -> [Int] {
        var nodes: [Int] = []
        for member in members { nodes.append(try node(of: member, depth: depth + 1)) }
        return nodes
    }

    private mutating func intern(_ node: Node) -> Int {
        if let index = indices[node] { return index }
        let index = append(node)
        indices[node] = index
        return index
    }

    private mutating func append(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }
}
