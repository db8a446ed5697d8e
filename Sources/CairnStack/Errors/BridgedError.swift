import CairnModel
import CairnRows
import CairnStore
import Foundation

#if !canImport(ObjectiveC)
/// An error that `catch let error as NSError` catches.
///
/// Without Objective-C, such a pattern converts an error to `NSError` only if the error's type defines
/// the conversion. Otherwise, the pattern does not match an error of type `any Error`, and stops the
/// program for an error of a known type. With Objective-C, every error is converted, and this protocol
/// does not exist.
public protocol BridgedError: Error, _ObjectiveCBridgeable
where _ObjectiveCType == NSError {}

extension BridgedError {
    /// Returns an `NSError` with the error's domain, code and user info.
    public func _bridgeToObjectiveC() -> NSError {
        // Uses an existential, because converting the concrete type would call this function again.
        let error: any Error = self
        return error as NSError
    }

    /// Sets `result` to `nil`, because an `NSError` cannot be converted back.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
        result = nil
    }

    /// Sets `result` to `nil` and returns `false`, because an `NSError` cannot be converted back.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError, result: inout Self?
    ) -> Bool {
        result = nil
        return false
    }

    /// Stops the program. Swift only calls this for values from Objective-C, which is not available
    /// here.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
        preconditionFailure("an NSError cannot be converted to \(Self.self)")
    }
}

extension GraphError: BridgedError {}
extension ValidationFailure: BridgedError {}
extension StoreLoadingFailure: BridgedError {}
extension StoreError: BridgedError {}
extension ModelError: BridgedError {}
extension FetchPredicateError: BridgedError {}
extension TransformationFailure: BridgedError {}
extension UnexpectedValue: BridgedError {}
extension ArchiveError: BridgedError {}
extension MigrationRoute.Refusal: BridgedError {}
extension EngineFailure: BridgedError {}
extension InterruptedSave: BridgedError {}
extension RowError: BridgedError {}
extension RowDamage: BridgedError {}
#endif
