import CairnModel
import CairnStack

/// What the key paths and the constants of a Swift predicate mean in a model.
package protocol PredicateNaming {
    /// Returns the names of the properties along a key path that starts at an object or at a composite. Returns no
    /// names for the property that identifies the object.
    ///
    /// - Throws: `.predicate` if the path leads to something that is not in the model.
    func names(of path: AnyKeyPath) throws(GraphError) -> [String]

    /// Returns the value of a constant whose type is no attribute type. Returns `nil` if no attribute can have it.
    func constant(_ value: Any) -> Value?
}
