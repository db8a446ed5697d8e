import CairnModel
import CairnStore
import Foundation

/// An error with a code of Core Data or of Foundation.
public protocol CodedError: CustomNSError {}

extension CodedError {
    /// Core Data's domain, `NSCocoaErrorDomain`.
    public static var errorDomain: String { NSCocoaErrorDomain }
    /// Core Data's code (`CoreDataErrors.h`), or Foundation's code for a file. Core Data's general code,
    /// 134060, if neither has a code for the error.
    public var errorCode: Int { ErrorCode.of(self) }
    /// The description, the affected stores, entities and objects, the underlying errors, and the code of the
    /// operating system or of the engine's library, under Core Data's keys. Never contains stored values.
    public var errorUserInfo: [String: Any] { ErrorCode.userInfo(of: self) }
}

extension GraphError: CodedError {}
extension ValidationFailure: CodedError {}
extension StoreLoadingFailure: CodedError {}
extension StoreError: CodedError {}
extension ModelError: CodedError {}
extension FetchPredicateError: CodedError {}
