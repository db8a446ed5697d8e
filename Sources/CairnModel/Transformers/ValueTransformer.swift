import Foundation
import Synchronization

/// A type that converts the values of a transformable attribute to the bytes that stores keep, and back.
///
/// ```swift
/// struct ColorTransformer: ValueTransformer {
///     func data(from color: Color) -> Data { Data([color.red, color.green, color.blue]) }
///     func value(from data: Data) throws -> Color {
///         guard data.count == 3 else { throw NotAColor() }
///         return Color(red: data[data.startIndex], …)
///     }
/// }
/// ValueTransformers.setValueTransformer(ColorTransformer(), forName: "ColorTransformer")
/// ```
///
/// The two directions have their own method names. In Core Data, the method that produces data is
/// `transformedValue(_:)` for most transformers, but `reverseTransformedValue(_:)` for those that
/// unarchive. A transformer is called on any thread, and by several threads at once.
public protocol ValueTransformer<TransformedValue>: Sendable {
    /// The type of the attribute's values in the program.
    associatedtype TransformedValue: Equatable

    /// Returns the bytes to store. Equal values should have equal bytes, because predicates compare the
    /// bytes.
    ///
    /// - Throws: An error of the transformer's own, which becomes the reason of a
    ///   ``TransformationFailure``. In this case, the attribute is not changed.
    func data(from value: TransformedValue) throws -> Data

    /// Returns the value that the stored bytes represent. The bytes may have been written by another
    /// program or version, so they may differ from the result of ``data(from:)``.
    ///
    /// - Throws: An error of the transformer's own, which becomes the reason of a
    ///   ``TransformationFailure``.
    func value(from data: Data) throws -> TransformedValue
}

/// The name of an attribute's transformer in a model. Names are case-sensitive.
public struct ValueTransformerName: RawRepresentable, Sendable, Hashable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    /// The name as it is written in the model.
    public let rawValue: String

    /// Creates a name from any string. Whether a transformer has the name is checked when a value is read
    /// or set.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from any string. Whether a transformer has the name is checked when a value is read
    /// or set.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from a string literal, such as `"ColorTransformer"`.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name as it is written in the model.
    public var description: String { rawValue }

    /// The built-in transformer for keyed archives of the types in the closed list of
    /// ``CairnModel/ArchivableValue``.
    public static let secureUnarchiveFromDataTransformerName: ValueTransformerName =
        "NSSecureUnarchiveFromData"
    /// The built-in transformer of attributes without a transformer name in the model. In Core Data, it
    /// creates objects of any class that an archive names. In Cairn, it is the same transformer as
    /// ``secureUnarchiveFromDataTransformerName``.
    public static let keyedUnarchiveFromDataTransformerName: ValueTransformerName =
        "NSKeyedUnarchiveFromData"

    /// Creates the name of an attribute's transformer: the name in the model, or the default
    /// transformer's name.
    package init(of attribute: Attribute) {
        self =
            attribute.description.valueTransformerName.map { ValueTransformerName($0) }
            ?? .keyedUnarchiveFromDataTransformerName
    }
}

/// The registry of the process's transformers, by name. It corresponds to the class methods of
/// Foundation's `ValueTransformer`.
///
/// A transformer is looked up each time an attribute's value is read or set, so it can be registered at
/// any time. All methods can be called on any thread.
public enum ValueTransformers {
    private static let builtIn: [ValueTransformerName: any ValueTransformer] = [
        .secureUnarchiveFromDataTransformerName:
            SecureUnarchiveFromDataTransformer<ArchivableValue>(),
        .keyedUnarchiveFromDataTransformerName:
            SecureUnarchiveFromDataTransformer<ArchivableValue>(),
    ]

    private static let registered = Mutex(builtIn)

    /// Registers a transformer for all attributes with this transformer name in the model.
    ///
    /// - Parameters:
    ///   - transformer: The transformer, which replaces a registered transformer of this name. `nil`
    ///     removes the registration; for a built-in name, it restores the built-in transformer.
    ///   - name: The name that attributes use for the transformer in the model.
    public static func setValueTransformer(
        _ transformer: (any ValueTransformer)?, forName name: ValueTransformerName
    ) {
        registered.withLock { $0[name] = transformer ?? builtIn[name] }
    }

    /// Returns the transformer that is registered under a name, or `nil` if the name is not registered.
    public static func valueTransformer(
        forName name: ValueTransformerName
    ) -> (any ValueTransformer)? {
        registered.withLock { $0[name] }
    }

    /// The names of all transformers, including the built-in ones, in alphabetical order.
    public static var valueTransformerNames: [ValueTransformerName] {
        registered.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the attributes of a model whose transformers are not registered, in the order of the
    /// model's entities. An attribute that subentities inherit is listed once.
    ///
    /// The values of these attributes are read as `Data`, the stored bytes. Call this when a program
    /// starts, to check that all transformers are registered.
    package static func unregistered(in model: ManagedObjectModel) -> [UnregisteredTransformer] {
        let known = registered.withLock { Set($0.keys) }
        return model.entities.flatMap { entity in
            entity.ownProperties.compactMap { property in
                guard case .attribute(let attribute) = property,
                    attribute.type == .transformable
                else { return nil }
                let name = ValueTransformerName(of: attribute)
                guard !known.contains(name) else { return nil }
                return UnregisteredTransformer(
                    entity: entity.name, attribute: attribute.name, transformer: name)
            }
        }
    }
}
