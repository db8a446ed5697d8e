import CairnModel
import CairnStore
import Logging

extension FetchPlan {
    /// Describes the fetch without values of objects: the predicate is represented by its properties.
    var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["entity": "\(entity.name)"]
        let properties = Set(predicate?.paths.map(\.text) ?? [])
        if !properties.isEmpty { metadata["condition"] = "\(properties.sorted().list)" }
        if !sorts.isEmpty { metadata["sort"] = "\(sorts.map(\.path.text).list)" }
        if let limit { metadata["limit"] = "\(limit)" }
        if offset > 0 { metadata["offset"] = "\(offset)" }
        return metadata
    }
}

extension BoundPath {
    /// The names along the path.
    fileprivate var text: String {
        var names = relationships.map(\.name)
        switch leaf {
        case .object: if names.isEmpty { names = ["self"] }
        case .attribute(let attribute): names.append(attribute.name)
        case .element(let attribute, let elements, _): names += [attribute.name] + elements
        }
        return names.joined(separator: ".")
    }
}

extension [RelatedQuestion] {
    /// The relationships and the number of their owners.
    var logMetadata: Logger.Metadata {
        let names = map { "\($0.relationship.entity.name).\($0.relationship.name)" }
        return [
            "relationships": "\(names.list)", "owners": "\(map(\.owners.count).reduce(0, +))",
        ]
    }
}

extension ChangeSet {
    /// The number of changed objects.
    var logMetadata: Logger.Metadata {
        [
            "inserted": "\(inserted.count)", "updated": "\(updated.count)",
            "deleted": "\(deleted.count)",
        ]
    }
}

extension [String] {
    fileprivate var list: String { joined(separator: ", ") }
}
