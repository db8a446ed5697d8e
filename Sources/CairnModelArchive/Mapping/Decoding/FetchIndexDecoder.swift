import CairnModel

/// Decodes `NSFetchIndexDescription`.
enum FetchIndexDecoder {
    /// Returns the index, or `nil` if it has no name, because stores cannot create such an index.
    static func index(
        _ object: ArchivedObject
    ) throws(ModelArchiveError) -> FetchIndexDescription? {
        guard let name = try object.string("NSIndexName") else { return nil }
        var index = FetchIndexDescription(name, elements: [])
        for value in try object.elements("NSIndexElements") {
            guard let element = value.object else { continue }
            index.elements.append(try self.element(element))
        }
        // If the predicate cannot be read, the index covers all objects, which include those of the partial
        // index.
        index.partialPredicate = try PredicateDecoder.predicate(
            object.value("NSPartialIndexPredicate")
        ).predicate
        return index
    }

    private static func element(
        _ object: ArchivedObject
    ) throws(ModelArchiveError) -> FetchIndexDescription.Element {
        let type =
            FetchIndexDescription.ElementType(
                rawValue: try object.integer("NSFetchIndexElementType") ?? 0) ?? .binary
        return FetchIndexDescription.Element(
            try target(of: object), type: type,
            isAscending: try object.value("NSAscending").boolean ?? true)
    }

    private static func target(
        of object: ArchivedObject
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
        // Core Data cannot create an element without a name, but reading one must not fail.
        guard let name else { return .expression("") }
        return name == "SELF" ? .expression(name) : .property(name)
    }
}
