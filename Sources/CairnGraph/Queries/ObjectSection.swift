import CairnModel

/// The objects of a fetch that have the same value for a property.
public struct ObjectSection<Key, Object: ManagedObject> {
    /// The value that the objects have in common.
    public let key: Key
    /// The objects, in the order of the fetch. At least one.
    public let objects: [Object]
}

extension ObjectSection where Key: Equatable {
    /// Divides objects into sections. The objects are sorted by the sections' keys.
    static func divide(_ objects: some Sequence<Object>, by key: (Object) -> Key) -> [Self] {
        var sections: [Self] = []
        var (current, members): (Key?, [Object]) = (nil, [])
        for object in objects {
            let key = key(object)
            if let current, current != key {
                sections.append(Self(key: current, objects: members))
                members = []
            }
            current = key
            members.append(object)
        }
        if let current { sections.append(Self(key: current, objects: members)) }
        return sections
    }

    /// Whether two sections have equal keys. This is possible because a class may read different stored
    /// values as the same value.
    static func repeatsKey(_ sections: [Self]) -> Bool {
        let keys = Set(sections.compactMap { $0.key as? AnyHashable })
        if keys.count == sections.count { return false }
        return sections.indices.contains { index in
            sections[..<index].contains { $0.key == sections[index].key }
        }
    }

    /// Merges sections with equal keys at the position of the last of them. Their objects are sorted in the
    /// order of the IDs.
    static func joined(_ sections: [Self], inOrderOf ids: [ObjectID]) -> [Self] {
        let positions = Dictionary(
            ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { (first: Int, _: Int) in first })
        return sections.enumerated().compactMap { index, section -> Self? in
            if sections[(index + 1)...].contains(where: { $0.key == section.key }) { return nil }
            let equal = sections[...index].filter { $0.key == section.key }
            if equal.count == 1 { return section }
            let objects = equal.flatMap(\.objects).sorted {
                positions[$0.objectID, default: 0] < positions[$1.objectID, default: 0]
            }
            return Self(key: section.key, objects: objects)
        }
    }
}
