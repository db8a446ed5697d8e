import CairnModel
import CairnObjects

/// The fetched objects that have the same value of a property.
public struct ObjectSection<Key, Object: ManagedObject> {
    /// The value that the objects have in common.
    public let key: Key
    /// The objects, in the order of the fetch. Contains at least one object.
    public let objects: [Object]
}

extension ObjectSection where Key: Hashable {
    /// Groups objects that are sorted by their keys into sections.
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

    /// Returns whether two sections have equal keys. This happens if a class reads different stored values as
    /// the same value.
    static func repeatsKey(_ sections: [Self]) -> Bool {
        Set(sections.map(\.key)).count < sections.count
    }

    /// Joins sections with equal keys at the position of the last one. Its objects are in the order of `ids`.
    static func joined(_ sections: [Self], inOrderOf ids: [ObjectID]) -> [Self] {
        let positions = Dictionary(
            ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { (first: Int, _: Int) in first })
        let equal = Dictionary(grouping: sections, by: \.key)
        let lastIndices = Dictionary(
            sections.enumerated().map { ($1.key, $0) },
            uniquingKeysWith: { (_: Int, last: Int) in last })
        return sections.enumerated().compactMap { index, section -> Self? in
            // A dictionary does not find a key that is not equal to itself, such as NaN.
            guard let members = equal[section.key], members.count > 1 else { return section }
            guard lastIndices[section.key] == index else { return nil }
            let objects = members.flatMap(\.objects).sorted {
                positions[$0.objectID, default: 0] < positions[$1.objectID, default: 0]
            }
            return Self(key: section.key, objects: objects)
        }
    }
}
