import Foundation

extension ManagedObject {
    /// Returns the values of several properties by their keys, as ``value(forKey:)`` returns them.
    /// `NSNull` stands for `nil`.
    ///
    /// - Throws: as ``value(forKey:)``.
    public final func dictionaryWithValues(
        forKeys keys: [String]
    ) throws(GraphError) -> [String: Any] {
        var values: [String: Any] = [:]
        for key in keys { values[key] = try value(forKey: key) ?? NSNull() }
        return values
    }

    /// Sets several properties, in the order of their keys. `NSNull` stands for `nil`.
    ///
    /// Takes dictionaries of `JSONSerialization`. The first value that is refused ends the call; the
    /// properties before it are set.
    ///
    /// - Throws: as ``setValue(_:forKey:)``.
    public final func setValuesForKeys(_ values: [String: Any]) throws(GraphError) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try setValue(value is NSNull ? nil : value, forKey: key)
        }
    }
}
