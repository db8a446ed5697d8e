import CairnFiles
import CairnTestSupport
import Foundation
import Testing

@testable import CairnEngineKit
@testable import CairnStore

@Suite struct `Timed locks` {
    private let folder: TemporaryFolder
    private let location: StoreLocation

    init() throws {
        folder = try TemporaryFolder()
        location = .file(folder.file("store"))
    }

    @Test func `are waited for until they are free`() throws {
        var attempts = 0

        let lock = try TimedLock.wait(.seconds(5), for: location) { () throws(StoreError) -> Int? in
            attempts += 1
            return attempts == 3 ? 7 : nil
        }

        #expect(lock == 7)
    }

    @Test func `throw a busy error after the timeout`() {
        #expect {
            _ = try TimedLock.wait(.milliseconds(2), for: location) {
                () throws(StoreError) -> Int? in nil
            }
        } throws: {
            guard case StoreError.busy(location, let waited) = $0 else { return false }
            return waited == .milliseconds(2)
        }
    }

    @Test(arguments: [(EROFS, true), (EACCES, true), (EIO, false)])
    func `rethrow errors of taking the lock`(_ code: Int32, _ isReadOnly: Bool) {
        let failure = FileFailure(operation: "open", path: "/x", code: code)

        #expect {
            _ = try TimedLock.wait(.seconds(5), for: location) { () throws(StoreError) -> Int? in
                throw .writing(failure, at: location)
            }
        } throws: {
            switch $0 {
            case StoreError.readOnly(location): isReadOnly
            case StoreError.fileFailure(failure): !isReadOnly
            default: false
            }
        }
    }
}
