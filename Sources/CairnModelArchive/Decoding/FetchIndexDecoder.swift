import CairnModel

/// Reads `NSFetchIndexDescription`.
enum FetchIndexDecoder {
    static func index(
        _ object: ArchivedObject, in entity: String
    ) throws(ModelArchiveError) -> FetchIndexDescription {
        guard let name = try object.string("NSIndexName") else {
            throw .wrongValue(
                object: "an index of \(entity)", key: "NSIndexName", detail: "it has no name")
        }
        var index = FetchIndexDescription(name, elements: [])
        for value in try object.elements("NSIndexElements") {
            guard let element = value.object else { continue }
            index.elements.append(try self.element(element, of: "index \(entity).\(name)"))
        }
        // An index that leaves nothing out finds all that a partial one would.
        index.partialPredicate = try PredicateDecoder.predicate(
            object.value("NSPartialIndexPredicate")
        ).predicate
        return index
    }

    private static func element(
        _ object: ArchivedObject, of place: String
    ) throws(ModelArchiveError) -> FetchIndexDescription.Element {
        let type =
            FetchIndexDescription.ElementType(
                rawValue: try object.integer("NSFetchIndexElementType") ?? 0) ?? .binary
        return FetchIndexDescription.Element(
            try target(of: object, place: place), type: type,
            isAscending: try object.value("NSAscending").boolean ?? true)
    }

    private static func target(
        of object: ArchivedObject, place: String
    ) throws(ModelArchiveError) -> FetchIndexDescription.Target {
        let property = try object.object("NSIndexedProperty")
        let inner = try property?.string("NSPropertyName")
        let name = try object.string("NSPropertyName") ?? inner
        if let property, property.isKind(of: "NSExpressionDescription") {
            let text = try property.string(ArchiveKey.expressionText)
            let expression = try property.value("NSExpression")
            if let text = text ?? ExpressionText.text(of: expression) ?? name {
                return .expression(text)
            }
        }
        if let name { return name == "SELF" ? .expression(name) : .property(name) }
        throw .wrongValue(
            object: place, key: "NSPropertyName", detail: "an element names no property")
    }
}
