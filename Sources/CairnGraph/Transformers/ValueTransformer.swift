import Foundation

/// Turns the values of a transformable attribute into the bytes that stores keep, and back.
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
/// Both directions have names of their own, because Core Data calls the one that makes data
/// `transformedValue(_:)` for most transformers and `reverseTransformedValue(_:)` for those that unarchive.
/// A transformer is called by any thread, and by several at a time.
public protocol ValueTransformer<TransformedValue>: Sendable {
    /// What the attribute's values are to the program.
    associatedtype TransformedValue: Equatable

    /// Returns the bytes to store. Equal values should have equal bytes, because predicates compare
    /// those.
    ///
    /// - Throws: an error of the transformer's own, which becomes the reason of a
    ///   ``TransformationFailure``. The attribute is not changed then.
    func data(from value: TransformedValue) throws -> Data

    /// Returns the value that the stored bytes stand for. The bytes may be those of another program or
    /// version, so they need not be what ``data(from:)`` returns.
    ///
    /// - Throws: an error of the transformer's own, which becomes the reason of a
    ///   ``TransformationFailure``.
    func value(from data: Data) throws -> TransformedValue
}
