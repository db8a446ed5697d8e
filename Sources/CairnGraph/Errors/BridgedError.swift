import CairnModel
import CairnStore
import Foundation

#if !canImport(ObjectiveC)
/// An error that `catch let error as NSError` catches.
///
/// Without Objective-C, Swift converts an error to `NSError` in a pattern only if the error's type says
/// how. If it does not, an error of type `any Error` passes by such a pattern, and one of a known type
/// ends the program. With Objective-C every error is converted, and this protocol does not exist.
public protocol BridgedError: Error, _ObjectiveCBridgeable
where _ObjectiveCType == NSError {}

extension BridgedError {
    /// Returns the error with its domain, code and user info.
    public func _bridgeToObjectiveC() -> NSError {
        // As an existential, because the conversion of the type itself calls this function.
        let error: any Error = self
        return error as NSError
    }

    /// Finds no error in an `NSError`.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
        result = nil
    }

    /// Finds no error in an `NSError`, and returns `false`.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError, result: inout Self?
    ) -> Bool {
        result = nil
        return false
    }

    /// Stops the program. Swift calls this only for a value from Objective-C, which is not there.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
        preconditionFailure("An NSError is not converted to \(Self.self).")
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
