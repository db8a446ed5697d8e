import Foundation

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
