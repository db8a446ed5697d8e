import CairnStack
import Foundation

extension ManagedObject {
    /// Returns the values of several properties by name, as ``value(forKey:)`` returns them. A `nil`
    /// value is returned as `NSNull`.
    ///
    /// - Throws: The same errors as ``value(forKey:)``.
    public final func dictionaryWithValues(
        forKeys keys: [String]
    ) throws(GraphError) -> [String: Any] {
        var values: [String: Any] = [:]
        for key in keys { values[key] = try value(forKey: key) ?? NSNull() }
        return values
    }

    /// Sets several properties, in the order of their names. `NSNull` sets a property to `nil`.
    ///
    /// Accepts dictionaries from `JSONSerialization`. If a value is refused, the method throws, and the
    /// properties before it remain set.
    ///
    /// - Throws: The same errors as ``setValue(_:forKey:)``.
    public final func setValuesForKeys(_ values: [String: Any]) throws(GraphError) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try setValue(value is NSNull ? nil : value, forKey: key)
        }
    }
}
