import CairnModel
import CairnObjects
import CairnStack

extension FetchRequest: Codable {
    private enum Key: String, CodingKey {
        case entityName, predicate, sortDescriptors, fetchLimit, fetchOffset, includesSubentities
        case includesPendingChanges, returnsObjectsAsFaults, relationshipKeyPathsForPrefetching
        case shouldRefreshRefetchedObjects, fetchBatchSize, timeout, resultType, propertiesToFetch
        case propertiesToGroupBy, havingPredicate, returnsDistinctResults
    }

    /// Reads a request. What is absent has the value of a new request. Names are checked when the request is
    /// executed.
    ///
    /// - Throws: `DecodingError` if a part has another type, or a predicate's text is no predicate.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: Key.self)
        func read<Part: Decodable>(_ key: Key, _ path: WritableKeyPath<Self, Part>) throws {
            if let part = try values.decodeIfPresent(Part.self, forKey: key) {
                self[keyPath: path] = part
            }
        }
        func readOptional<Part: Decodable>(
            _ key: Key, _ path: WritableKeyPath<Self, Part?>
        ) throws {
            self[keyPath: path] = try values.decodeIfPresent(Part.self, forKey: key)
        }
        try readOptional(.entityName, \.entityName)
        try readOptional(.predicate, \.predicate)
        try read(.sortDescriptors, \.sortDescriptors)
        try read(.fetchLimit, \.fetchLimit)
        try read(.fetchOffset, \.fetchOffset)
        try read(.includesSubentities, \.includesSubentities)
        try read(.includesPendingChanges, \.includesPendingChanges)
        try read(.returnsObjectsAsFaults, \.returnsObjectsAsFaults)
        try read(.relationshipKeyPathsForPrefetching, \.relationshipKeyPathsForPrefetching)
        try read(.shouldRefreshRefetchedObjects, \.shouldRefreshRefetchedObjects)
        try read(.fetchBatchSize, \.fetchBatchSize)
        try readOptional(.timeout, \.timeout)
        try read(.resultType, \.resultType)
        try read(.propertiesToFetch, \.propertiesToFetch)
        try read(.propertiesToGroupBy, \.propertiesToGroupBy)
        try readOptional(.havingPredicate, \.havingPredicate)
        try read(.returnsDistinctResults, \.returnsDistinctResults)
    }

    /// Writes the request, with predicates as text.
    ///
    /// - Throws: `EncodingError.invalidValue` if the request names stores or objects, which exist only in this
    ///   process, or if a predicate has no text.
    public func encode(to encoder: any Encoder) throws {
        guard affectedStores == nil else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "the request names stores, which are open only in this process:"
                        + " set affectedStores after decoding"))
        }
        var values = encoder.container(keyedBy: Key.self)
        try values.encodeIfPresent(entityName, forKey: .entityName)
        try values.encodeIfPresent(predicate, forKey: .predicate)
        try values.encode(sortDescriptors, forKey: .sortDescriptors)
        try values.encode(fetchLimit, forKey: .fetchLimit)
        try values.encode(fetchOffset, forKey: .fetchOffset)
        try values.encode(includesSubentities, forKey: .includesSubentities)
        try values.encode(includesPendingChanges, forKey: .includesPendingChanges)
        try values.encode(returnsObjectsAsFaults, forKey: .returnsObjectsAsFaults)
        try values.encode(
            relationshipKeyPathsForPrefetching, forKey: .relationshipKeyPathsForPrefetching)
        try values.encode(shouldRefreshRefetchedObjects, forKey: .shouldRefreshRefetchedObjects)
        try values.encode(fetchBatchSize, forKey: .fetchBatchSize)
        try values.encodeIfPresent(timeout, forKey: .timeout)
        try values.encode(resultType, forKey: .resultType)
        try values.encode(propertiesToFetch, forKey: .propertiesToFetch)
        try values.encode(propertiesToGroupBy, forKey: .propertiesToGroupBy)
        try values.encodeIfPresent(havingPredicate, forKey: .havingPredicate)
        try values.encode(returnsDistinctResults, forKey: .returnsDistinctResults)
    }
}
