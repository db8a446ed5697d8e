import CairnFiles
import CairnTestSupport
import Foundation
import Testing

@testable import CairnEngineKit
@testable import CairnStore

@Suite struct `Locks of a store` {
    private let folder: TemporaryFolder
    private let location: StoreLocation

    init() throws {
        folder = try TemporaryFolder()
        location = .file(folder.file("store"))
    }

    @Test func `are waited for until they are free`() throws {
        var attempts = 0

        let lock = try location.waitForLock(atMost: .seconds(5)) { () throws(FileFailure) -> Int? in
            attempts += 1
            return attempts == 3 ? 7 : nil
        }

        #expect(lock == 7)
    }

    @Test func `throw a busy error after the timeout`() {
        #expect {
            _ = try location.waitForLock(atMost: .milliseconds(2)) {
                () throws(FileFailure) -> Int? in nil
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
            _ = try location.waitForLock(
                atMost: .seconds(5), translating: { .writing($0, at: location) }
            ) { () throws(FileFailure) -> Int? in throw failure }
        } throws: {
            switch $0 {
            case StoreError.readOnly(location): isReadOnly
            case StoreError.fileFailure(failure): !isReadOnly
            default: false
            }
        }
    }
}
