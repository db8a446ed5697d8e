import CairnModel

/// A property of a managed object class. Its name and type are checked against the model.
///
/// ```swift
/// final class Author: ManagedObject {
///     @Managed var name: String
///     @Managed var born: Date?
///     @Managed var editor: Author?
///     @Managed var books: Members<Book>
/// }
/// ```
///
/// When a context first needs the class, each name and type is compared with the entity. See
/// ``ManagedProperty`` for the types that fit. If the class does not fit, the context throws
/// ``GraphError/classDoesNotFit(_:)``, which lists every mistake.
///
/// Reading a value takes a few loads from memory: the compiler turns the property into the offset of its mark
/// in the object, and this offset is the property's number. The marks make an object 16 bytes larger for up to
/// 17 properties, and 16 bytes larger again for every 16 more.
@propertyWrapper @frozen public struct Managed<Value: ManagedProperty> {
    /// The mark. Only its offset in the object is used.
    @usableFromInline let mark: UInt8 = 0

    /// Creates a property.
    @inlinable public init() {}

    /// Unavailable. Only properties of managed object classes can be declared with `@Managed`.
    @available(*, unavailable, message: "@Managed is for properties of subclasses of ManagedObject")
    public var wrappedValue: Value {
        get { fatalError("@Managed properties are read through the static subscript") }
        set {
            fatalError(
                "@Managed properties are set through the static subscript, not to \(newValue)")
        }
    }

    /// The value of the property of an object. The compiler calls this subscript for each access.
    ///
    /// The getter returns the value that ``ManagedProperty`` describes. A failure is reported to
    /// ``ManagedObjectContext/faultFailureHandler``.
    ///
    /// - Parameters:
    ///   - object: The object that has the property.
    ///   - path: The key path of the property itself. It is created only when a predicate is
    ///     translated.
    ///   - mark: The key path of the property's mark.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped path: @autoclosure () -> ReferenceWritableKeyPath<Object, Value>,
        storage mark: ReferenceWritableKeyPath<Object, Managed<Value>>
    ) -> Value {
        @inlinable @inline(__always) get {
            let mark = _Property.Mark(of: mark, in: object)
            if let value = Value._quickValue(of: object, at: mark) { return value }
            return object.generalMarkedValue(at: mark) { path() }
        }
        @inlinable @inline(__always) set {
            Value._setValue(newValue, of: object, at: _Property.Mark(of: mark, in: object))
        }
    }
}
