import CairnFiles

extension StoreError {
    /// Returns the error for a file that an engine could not open for writing: `.readOnly` if the
    /// file system does not allow this process to write, otherwise `.fileFailure`.
    package static func writing(_ failure: FileFailure, at location: StoreLocation) -> StoreError {
        failure.meansReadOnly ? .readOnly(location) : .fileFailure(failure)
    }
}
