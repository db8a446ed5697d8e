extension Value {
    /// Returns whether an attribute of this type can store the value without conversion. `nil` always fits.
    ///
    /// Integers must be in the range of the type's width.
    package func fits(_ type: AttributeType) -> Bool {
        switch (self, type) {
        case (.null, _), (_, .undefined): true
        case (.boolean, .boolean), (.integer, .integer64), (.double, .double), (.float, .float),
            (.decimal, .decimal), (.string, .string), (.date, .date), (.binary, .binary),
            (.uuid, .uuid), (.uri, .uri), (.transformable, .transformable),
            (.composite, .composite), (.objectID, .objectID):
            true
        case (.integer(let value), .integer16): Int16(exactly: value) != nil
        case (.integer(let value), .integer32): Int32(exactly: value) != nil
        default: false
        }
    }
}
